# On each host while it is recorded: says what its clocks show, and sends beacons. Ends with its standard input:
# 0 when it is dismissed (q), 7 when whoever started it is gone. No port is opened: a beacon is an attempt to connect
# to the discard port, which the kernel of the other host answers by itself.
use strict; use Socket; use IO::Handle; use POSIX ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_REALTIME);
$0 = "meridian-beacon"; $| = 1; $SIG{INT} = "IGNORE"; $SIG{PIPE} = "IGNORE";
my ($every, $next, @peers, @open, $buffer) = (0, 0);
my ($answered, $silent) = (0, 0);
sub mono { clock_gettime(CLOCK_MONOTONIC) }
sub settle {
	for my $s (@open) {
		my $e = unpack("i", getsockopt($s, SOL_SOCKET, SO_ERROR) || pack("i", 0));
		if ($e == POSIX::ECONNREFUSED() || getpeername($s)) { $answered++ } else { $silent++ }
		close $s;
	}
	@open = ();
}
sub beacon {
	settle();
	for my $p (@peers) {
		my ($s, $six) = (undef, $p =~ /:/);
		my $to = $six ? pack_sockaddr_in6(9, Socket::inet_pton(AF_INET6, $p)) : pack_sockaddr_in(9, inet_aton($p));
		socket($s, $six ? AF_INET6 : AF_INET, SOCK_STREAM, 0) or next;
		$s->blocking(0);
		if (connect($s, $to) || $! == POSIX::EINPROGRESS()) { push @open, $s }
		elsif ($! == POSIX::ECONNREFUSED()) { $answered++ } else { $silent++ }
	}
}
for (;;) {
	my $wait = $every ? $next - mono() : undef;
	if (defined $wait && $wait <= 0) { beacon(); $next += $every; $next = mono() if $next < mono() - 1; next }
	my $in = ""; vec($in, 0, 1) = 1;
	next unless select($in, undef, undef, $wait);
	my $got = sysread(STDIN, my $bytes, 4096);
	my ($m, $r) = (mono(), clock_gettime(CLOCK_REALTIME));
	next if !defined $got && $! == POSIX::EINTR();
	exit 7 unless $got;
	$buffer .= $bytes;
	while ($buffer =~ s/^([^\n]*)\n//) {
		my @w = split / /, $1;
		if ($w[0] eq "t") { printf "t %s %.9f %.9f %.9f\n", $w[1], $m, $r, mono() }
		elsif ($w[0] eq "b") { $every = $w[1]; @peers = @w[2 .. $#w]; $next = mono() }
		elsif ($w[0] eq "n") { settle(); print "n $answered $silent\n" }
		elsif ($w[0] eq "q") { exit 0 }
	}
}
