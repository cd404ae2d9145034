import { randomUUID } from 'node:crypto'
import type { Pressure } from '@payments/testing/platform/pressure'
import type { Fault } from '../runner/runner.ts'

/** An attack of clients on the gateway. In its text, `{tenant}` and `{key}` are the attacker's own. */
export interface Attack extends Omit<Pressure, 'port' | 'seconds'>, Pick<Fault<never>, 'name' | 'short'> {}

const one = ['127.0.0.2']
/** So that the limit per address is not what saves the gateway. */
const several = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
const host = 'Host: a\r\n'
const path = '/v1/payment-proxy/transactions'
const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\n${host}${headers}\r\n`
const post = (headers: string) => `POST ${path} HTTP/1.1\r\n${host}Content-Type: application/json\r\n${headers}\r\n`
const bundle = '/docs/swagger-ui-bundle.js'
const identity = `Authorization: Bearer {key}\r\nTenant-ID: {tenant}\r\nTrace-ID: ${randomUUID()}\r\n`
const slow = { addresses: several, connections: 1_000, connectionsPerSecond: 400 } as const
const flood = { addresses: one, connections: 50, connectionsPerSecond: 1_000, reads: 'all' } as const

/** `-H`, `-B`, `-X` and `-R` are the modes of slowhttptest, with as many connections. */
export const attacks: readonly Attack[] = [
  {
    name: 'clients that do not read: 120 connections, 20 pipelined requests each',
    short: true,
    addresses: several,
    connections: 120,
    connectionsPerSecond: 240,
    opening: get('/v1/openapi.json').repeat(20),
    reads: 'nothing',
  },
  {
    name: 'clients that do not read: 1 000 connections, 16 pipelined requests each',
    ...slow,
    opening: get('/v1/openapi.json').repeat(16),
    reads: 'nothing',
  },
  {
    name: 'slow headers (-H): 1 000 connections',
    ...slow,
    opening: `GET / HTTP/1.1\r\n${host}`,
    repeated: { text: 'X-{n}: a\r\n', everyMs: 1_000 },
    reads: 'all',
  },
  {
    name: 'slow bodies (-B): 1 000 connections',
    ...slow,
    opening: post('Content-Length: 4096\r\n'),
    repeated: { text: 'a', everyMs: 1_000 },
    reads: 'all',
  },
  { name: 'slow reads (-X): 1 000 connections', ...slow, opening: get(bundle).repeat(3), reads: 'slowly' },
  {
    name: 'range headers (-R): 1 000 connections',
    ...slow,
    opening: get(bundle, `Range: bytes=0-${Array.from({ length: 500 }, (_, i) => `,5-${i}`).join('')}\r\n`),
    reads: 'all',
  },
  {
    name: 'bodies that never finish, with a valid key: 60 a second',
    short: true,
    addresses: one,
    connections: 1_000,
    connectionsPerSecond: 60,
    opening: post(`${identity}Content-Length: 4096\r\n`),
    reads: 'all',
  },
  {
    name: 'flood of unknown paths: 5 000 a second',
    ...flood,
    short: true,
    opening: '',
    repeated: { text: get('/v1/unknown-{n}'), everyMs: 10 },
  },
  {
    name: 'flood of bad credentials: 2 500 a second',
    ...flood,
    opening: '',
    repeated: { text: get(path, 'Authorization: Bearer guess-{n}\r\nTenant-ID: {tenant}\r\n'), everyMs: 20 },
  },
  {
    name: 'flood of connections: 500 a second',
    ...flood,
    connections: 2_000,
    connectionsPerSecond: 500,
    opening: get('/'),
  },
]
