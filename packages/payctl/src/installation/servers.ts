/** The statements and definitions that an administrator applies to PostgreSQL and RabbitMQ, from the Secrets. */
import { brokerDefinitions, brokerUsers } from '@payments/contracts/edges/broker-access'
import type { Secrets } from './generate.ts'
import { ownerSecretName, services } from './layout.ts'

/**
 * A script for psql: roles, databases and privileges. It can be repeated: it creates what is missing, and sets the
 * passwords and privileges again.
 */
export function postgresqlScript(secrets: Secrets): string {
  const roles = new Map<string, string>()
  const databases = services.map((service) => {
    const app = loginIn(secrets, service, 'DATABASE_URL')
    const owner = loginIn(secrets, ownerSecretName(service), 'DATABASE_URL')
    roles.set(owner.user, owner.password).set(app.user, app.password)
    return databaseStatements(app.path, owner.user, app.user)
  })
  const owners = new Set(services.map((service) => loginIn(secrets, ownerSecretName(service), 'DATABASE_URL').user))
  return [
    '-- Roles, databases and privileges. Run it with psql as an administrator.',
    '\\set ON_ERROR_STOP on',
    ...[...roles].flatMap(([role, password]) => roleStatements(role, password)),
    '-- An administrator without superuser rights acts as the owner.',
    ...[...owners].map((owner) => `GRANT ${identifier(owner)} TO CURRENT_USER;`),
    ...databases.flat(),
    ...closedDatabases,
    '',
  ].join('\n')
}

/**
 * Databases that every server has, and to which PUBLIC may connect. An administrator who does not own them, as of a
 * managed server, skips them.
 */
const closedDatabases = [
  '',
  '-- The roles of the services connect to their own databases only.',
  "SELECT format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', datname) FROM pg_database",
  "WHERE datname IN ('postgres', 'template1') AND pg_has_role(datdba, 'MEMBER')\\gexec",
]

function roleStatements(role: string, password: string): string[] {
  return [
    `SELECT format('CREATE ROLE %I', ${literal(role)})`,
    `WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${literal(role)})\\gexec`,
    `ALTER ROLE ${identifier(role)} LOGIN NOCREATEDB NOCREATEROLE PASSWORD ${literal(password)};`,
  ]
}

function databaseStatements(database: string, owner: string, app: string): string[] {
  const role = identifier(app)
  const defaults = 'ALTER DEFAULT PRIVILEGES IN SCHEMA public'
  return [
    '',
    `SELECT format('CREATE DATABASE %I OWNER %I', ${literal(database)}, ${literal(owner)})`,
    `WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = ${literal(database)})\\gexec`,
    `\\connect ${identifier(database)}`,
    `SET ROLE ${identifier(owner)};`,
    'REVOKE ALL ON SCHEMA public FROM PUBLIC;',
    `GRANT USAGE ON SCHEMA public TO ${role};`,
    'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;',
    `${defaults} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};`,
    `${defaults} GRANT USAGE, SELECT ON SEQUENCES TO ${role};`,
    `${defaults} GRANT EXECUTE ON FUNCTIONS TO ${role};`,
    `REVOKE ALL ON DATABASE ${identifier(database)} FROM PUBLIC;`,
    `GRANT CONNECT ON DATABASE ${identifier(database)} TO ${role};`,
    'RESET ROLE;',
  ]
}

/** Definitions for `rabbitmqctl import_definitions`: one user per process, with its permissions in the vhost. */
export function rabbitmqDefinitions(secrets: Secrets, messagingPrefix: string): string {
  const logins = brokerUsers.map((name) => {
    const { path, ...login } = loginIn(secrets, name, 'AMQP_URL')
    return { name, ...login, vhost: path || '/' }
  })
  return `${JSON.stringify(brokerDefinitions(logins, messagingPrefix), null, 2)}\n`
}

/** The credentials in a URL. `path`: the database or the vhost. */
function loginIn(secrets: Secrets, secret: string, variable: string) {
  const { username, password, pathname } = new URL(secrets.get(secret)?.get(variable) ?? '')
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    path: decodeURIComponent(pathname.slice(1)),
  }
}

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
