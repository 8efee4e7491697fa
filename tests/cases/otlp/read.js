// read.js FILE: reads OpenTelemetry's JSON with the message definitions of its own package, encodes it as protobuf, reads
// that, and compares: what these definitions don't know, or know as another type, is lost on the way. Prints the
// number of spans. Ids are hexadecimal in this JSON, and base64 in that of protobuf.
const assert = require('assert');
const fs = require('fs');
const root = require('@opentelemetry/otlp-transformer/build/src/generated/root.js');
const Request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

let spans = 0;
function eachSpan(file, change) {
	for (const resource of file.resourceSpans || [])
		for (const scope of resource.scopeSpans || [])
			for (const span of scope.spans || []) change(span);
}
function bytes(text, n) {
	assert.match(text, new RegExp(`^[0-9a-f]{${2 * n}}$`));
	assert.ok(!/^0*$/.test(text), 'an id of zeros');
	return Buffer.from(text, 'hex');
}
const sizes = { traceId: 16, spanId: 8, parentSpanId: 8 };

const text = fs.readFileSync(process.argv[2], 'utf8');
const given = JSON.parse(text);
eachSpan(given, (span) => {
	for (const key in sizes) if (key in span) span[key] = bytes(span[key], sizes[key]);
	spans++;
});
assert.strictEqual(Request.verify(Request.fromObject(given)), null);
const read = Request.toObject(Request.decode(Request.encode(Request.fromObject(given)).finish()), { longs: String });
eachSpan(read, (span) => {
	for (const key in sizes) if (key in span) span[key] = Buffer.from(span[key]).toString('hex');
});
assert.deepStrictEqual(JSON.parse(JSON.stringify(read)), JSON.parse(text));
console.log(spans);
