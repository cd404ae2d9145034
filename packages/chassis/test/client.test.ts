import { createSecretKey, randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Client, client } from '../src/client.ts'
import { stopServer } from '../src/serve.ts'
import { context, keys, library, startLibrary } from './world.ts'

let server: Server
let baseUrl: string
let calls: Client<typeof library>

beforeAll(async () => {
  ;({ server, baseUrl } = await startLibrary())
  calls = client(library, { self: 'reader', baseUrl, keys, timeoutMs: 2_000 })
})
afterAll(() => stopServer(server, 0))

test('returns the parsed reply, without fields that the contract does not name', async () => {
  const reply = await calls.echo(context(), { query: { shout: 3 }, body: { word: 'hé/llo' } })
  expect(reply).toEqual({ word: 'hé/llo', shout: 3 })
})

test('encodes path parameters, and distinguishes several success statuses', async () => {
  const now = await calls.removeBook(context(), { params: { shelf: 'now', book: 'a/b ?c' } })
  const later = await calls.removeBook(context(), { params: { shelf: 'later', book: 'x' } })
  expect([now, later]).toEqual([
    { status: 200, body: { book: 'a/b ?c' } },
    { status: 202, body: { book: 'x' } },
  ])
})

test('throws a declared problem again, unchanged', async () => {
  await expect(calls.echo(context(), { body: { word: 'x', fail: 'problem' } })).rejects.toMatchObject({
    name: 'Problem',
    code: 'shelf_full',
    status: 409,
    options: { detail: 'No space' },
  })
})

test('throws service_unavailable without details after a bug of the service, or if it is unreachable', async () => {
  const bug = calls.echo(context(), { body: { word: 'x', fail: 'bug' } })
  await expect(bug).rejects.toMatchObject({ code: 'service_unavailable', options: { retryAfterSeconds: 1 } })
  const unreachable = client(library, { self: 'reader', baseUrl: 'http://127.0.0.1:1', keys, timeoutMs: 500 })
  await expect(unreachable.echo(context(), { body: { word: 'x' } })).rejects.toMatchObject({
    code: 'service_unavailable',
  })
})

test('treats a problem that the contract does not declare as a bug', async () => {
  const call = calls.echo(context(), { body: { word: 'x'.repeat(21) } })
  await expect(call).rejects.toThrow(/library sent an undeclared problem: invalid_request/)
})

test('is rejected with the key of another process', async () => {
  const stranger = new Map([['library', createSecretKey(randomBytes(32))]])
  const forged = client(library, { self: 'reader', baseUrl, keys: stranger, timeoutMs: 2_000 })
  await expect(forged.echo(context(), { body: { word: 'x' } })).rejects.toThrow(/invalid_credentials/)
})

test('has only the endpoints whose contract lists the process', () => {
  expect(Object.keys(client(library, { self: 'reader', baseUrl, keys, timeoutMs: 2_000 }))).toHaveLength(3)
  expect(client(library, { self: 'stranger', baseUrl, keys, timeoutMs: 2_000 })).toEqual({})
})
