/** Fastify with the duties of the gateway: its database with one API key, its upstream, and its process. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { permissionNames } from '@payments/contracts/grammar/permission'
import { toAdminUrl, withClient } from '@payments/devkit/servers/databases'
import { testAddress } from '@payments/devkit/tests/test-address'
import { type Cleanup, startChild } from '../measure/child-process.ts'
import type { ServiceReport, StubReady } from './stub-server.ts'

const secret = randomBytes(32).toString('base64')

export async function startFastify(cleanups: Cleanup[], keyHash: string) {
  const databaseUrl = await createKeys(cleanups, keyHash)
  const directory = mkdtempSync(join(tmpdir(), 'bench-fastify-'))
  cleanups.push(() => rmSync(directory, { recursive: true }))
  const service = await startChild<StubReady, object, ServiceReport>(cleanups, 'gateways/stub-server', {
    args: ['jwt-service', secret],
  })
  const upstreamUrl = `http://127.0.0.1:${service.ready.port}`
  const gateway = await startChild<StubReady>(cleanups, 'gateways/fastify-gateway', {
    args: [upstreamUrl, databaseUrl, directory, secret],
  })
  const verificationMs = async () => (await service.request({})).verificationMs
  return { port: gateway.ready.port, pid: gateway.pid, databaseUrl, service: { pid: service.pid, verificationMs } }
}

/** A database with the key and a role of every permission. Returns its URL. */
async function createKeys(cleanups: Cleanup[], keyHash: string): Promise<string> {
  const administrator = testAddress('TEST_DATABASE_URL')
  const name = `bench_fastify_${randomBytes(6).toString('hex')}`
  await withClient(administrator, (client) => client.query(`CREATE DATABASE ${name}`))
  cleanups.push(() => withClient(administrator, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)))
  const url = toAdminUrl(administrator, name)
  await withClient(url, async (client) => {
    await client.query(`
      CREATE TABLE role_permissions (role_id uuid, permission text, PRIMARY KEY (role_id, permission));
      CREATE TABLE api_keys (
        id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        tenant_id uuid NOT NULL DEFAULT gen_random_uuid(),
        role_id uuid NOT NULL DEFAULT gen_random_uuid(),
        key_hash text NOT NULL UNIQUE,
        enabled boolean NOT NULL DEFAULT true,
        expires_at timestamptz
      )`)
    await client.query('INSERT INTO api_keys (key_hash) VALUES ($1)', [keyHash])
    await client.query(
      'INSERT INTO role_permissions SELECT role_id, name FROM api_keys, unnest($1::text[]) AS permissions (name)',
      [permissionNames],
    )
    await client.query('ANALYZE')
  })
  return url
}
