#include "ask/requests/service_name.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>

/* These have the same name on every machine, also where /etc/services is missing (a minimal
 * system). It is looked into for other ports that only root may listen on: the names that it has
 * for ports above are seldom those of who listens there (7000 is "bbs" in Debian). */
static const struct {
	uint16_t port;
	const char *name;
} known[] = {
	{ 22, "ssh" },
	{ 25, "smtp" },
	{ 53, "domain" },
	{ 80, "http" },
	{ 88, "kerberos" },
	{ 110, "pop3" },
	{ 111, "sunrpc" },
	{ 143, "imap2" },
	{ 389, "ldap" },
	{ 443, "https" },
	{ 445, "microsoft-ds" },
	{ 465, "submissions" },
	{ 587, "submission" },
	{ 636, "ldaps" },
	{ 993, "imaps" },
	{ 995, "pop3s" },
	{ 1433, "ms-sql-s" },
	{ 1521, "oracle" },
	{ 1883, "mqtt" },
	{ 2049, "nfs" },
	{ 2181, "zookeeper" },
	{ 2379, "etcd-client" },
	{ 2380, "etcd-server" },
	{ 3306, "mysql" },
	{ 4222, "nats" },
	{ 5432, "postgresql" },
	{ 5672, "amqp" },
	{ 6379, "redis" },
	{ 8080, "http-alt" },
	{ 9042, "cassandra" },
	{ 9092, "kafka" },
	{ 9200, "elasticsearch" },
	{ 11211, "memcached" },
	{ 27017, "mongodb" },
};

const char *ask_service_name(uint16_t port)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].port == port)
			return known[i].name;
	const struct servent *s =
		port && port < IPPORT_RESERVED ? getservbyport(htons(port), "tcp") : NULL;
	return s ? s->s_name : NULL;
}
