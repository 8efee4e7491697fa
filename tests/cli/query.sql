select host, count(*) as n, min(begin) as begin from sched group by host;
