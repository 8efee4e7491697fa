// compare.mjs LAKE LOGS: are the rows of each kind of a lake those of 'meridian log KIND', in LOGS/KIND.jsonl and
// LOGS/KIND.csv? DuckDB compares the first (EXCEPT ALL, both ways), hyparquet reads all files again for the second.
// Prints the number of rows; what differs is an error.
import assert from 'assert';
import fs from 'fs';
import path from 'path';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

const [lake, logs] = process.argv.slice(2);
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const ask = async (sql) => (await connection.runAndReadAll(sql)).getRowsJson();
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;
const column = (name) => `"${name}"`;
// A column that is called like a folder has the kind in front; 'meridian log' calls it:
const told = (kind, name) => (name === `${kind}_kind` ? 'kind' : name);
// Times do not depend on where somebody looks at them.
await ask("set TimeZone = 'Pacific/Kiritimati'");

// What a partition says of itself is in its rows, and DuckDB finds it in the folders' names.
async function partitions(files, all, kind, begin, names) {
	const hosts = await ask(`select distinct host, date::varchar, kind, filename from ${all}`);
	for (const [host, date, , file] of hosts) {
		const [, d, h] = /date=([^/]*)\/host=([^/]*)\//.exec(file);
		assert.deepStrictEqual([host, date], [decodeURIComponent(h), d], file);
		const [[n]] = await ask(`select count(*) from read_parquet(${quoted(file)}, hive_partitioning = false)
			where ${begin}::date <> ${quoted(d)}`);
		assert.equal(n, 0, `${file}: other days`);
		assert.ok(!names.includes('kind') && !names.includes('date'), `${kind}: columns`);
		if (!names.includes('host')) continue;
		const own = await ask(`select distinct host from read_parquet(${quoted(file)}, hive_partitioning = false)`);
		assert.deepStrictEqual(own, [[host]], `${file}: other hosts`);
	}
	if (files.length < 2) return;
	const [[, plan]] = await ask(`explain analyze select count(*), max(${begin}) from ${all} where host =
		${quoted(decodeURIComponent(/host=([^/]*)\//.exec(files[0])[1]))}`);
	const read = /Total Files Read: (\d+)/.exec(plan);
	const same = files.filter((f) => path.dirname(f).endsWith(path.basename(path.dirname(files[0]))));
	assert.equal(Number(read?.[1]), same.length, `${kind}: files read for a host:\n${plan}`);
}

async function byDuckDB(kind, files) {
	const glob = quoted(path.join(lake, `kind=${kind}/*/*/*.parquet`));
	const types = await ask(`describe select * from read_parquet(${glob}, hive_partitioning = false)`);
	const times = types.filter(([, type]) => type === 'TIMESTAMP_NS').map(([name]) => name);
	for (const [name, type] of types)
		assert.ok(['BIGINT', 'DOUBLE', 'VARCHAR', 'TIMESTAMP_NS'].includes(type), `${kind}.${name}: ${type}`);
	const begin = types[0][0];
	assert.equal(times[0], begin, kind);
	const ours = types.map(([name]) => (times.includes(name) ? `epoch_ns(${column(name)})` : column(name)));
	const theirs = types.map(([name, type]) => `${quoted(told(kind, name))}: ${quoted(type === 'TIMESTAMP_NS' ? 'BIGINT' : type)}`);
	await ask(`create or replace temp table ours as select ${ours.map((x, i) => `${x} as c${i}`).join(', ')}
		from read_parquet(${glob}, hive_partitioning = true, hive_types_autocast = false)`);
	await ask(`create or replace temp table theirs as select ${types.map(([name], i) => `${column(told(kind, name))} as c${i}`).join(', ')}
		from read_json(${quoted(path.join(logs, kind + '.jsonl'))}, format = 'newline_delimited', columns = {${theirs.join(', ')}})`);
	for (const [a, b] of [['ours', 'theirs'], ['theirs', 'ours']]) {
		const rest = await ask(`select * from ${a} except all select * from ${b} limit 3`);
		assert.deepStrictEqual(rest, [], `${kind}: ${a} has rows that ${b} has not`);
	}
	await partitions(files, `read_parquet(${glob}, hive_partitioning = true, hive_types_autocast = false, filename = true)`, kind, column(begin),
		types.map(([name]) => name));
	const [[n]] = await ask('select count(*) from ours');
	return Number(n);
}

const cell = (v) => {
	if (v === null || v === undefined) return '';
	const text = typeof v === 'number' ? String(Number(v.toPrecision(12))) : String(v);
	return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
const parsers = { timestampFromNanoseconds: (n) => n };

async function byHyparquet(kind, files) {
	const rows = [];
	let names;
	for (const f of files) {
		const file = await asyncBufferFromFile(f);
		const metadata = await parquetMetadataAsync(file, { parsers });
		const pairs = Object.fromEntries(metadata.key_value_metadata.map(({ key, value }) => [key, value]));
		assert.equal(pairs['meridian.schema_version'], '1');
		names = metadata.schema.slice(1).map((s) => s.name);
		// Bounds are those of the values: the first column is in order.
		for (const group of metadata.row_groups)
			assert.ok(group.columns[0].meta_data.statistics.min_value <= group.columns[0].meta_data.statistics.max_value);
		for (const row of await parquetReadObjects({ file, metadata, compressors, parsers }))
			rows.push(names.map((name) => cell(row[name])).join(','));
	}
	const wanted = fs.readFileSync(path.join(logs, kind + '.csv'), 'utf8').trimEnd().split('\n');
	assert.equal(names.map((name) => told(kind, name)).join(','), wanted.shift(), kind);
	rows.sort();
	wanted.sort();
	for (let i = 0; i < Math.max(rows.length, wanted.length); i++) assert.equal(rows[i], wanted[i], `${kind}: row ${i}`);
	return rows.length;
}

let n = 0;
for (const folder of fs.readdirSync(lake).filter((name) => name.startsWith('kind='))) {
	const kind = folder.slice('kind='.length);
	const files = fs
		.readdirSync(path.join(lake, folder), { recursive: true })
		.filter((name) => name.endsWith('.parquet'))
		.map((name) => path.join(lake, folder, name));
	const rows = await byDuckDB(kind, files);
	assert.equal(await byHyparquet(kind, files), rows, kind);
	n += rows;
}
console.log(n);
