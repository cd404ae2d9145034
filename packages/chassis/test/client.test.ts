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

test('a call is typed, parsed and answered, and a field the contract does not name does not leave', async () => {
  const reply = await calls.echo(context(), { query: { shout: 3 }, body: { word: 'hé/llo' } })
  expect(reply).toEqual({ word: 'hé/llo', shout: 3 })
})

test('path parameters are encoded, and several success statuses are told apart', async () => {
  const near = await calls.forget(context(), { params: { shelf: 'near', book: 'a/b ?c' } })
  const far = await calls.forget(context(), { params: { shelf: 'far', book: 'x' } })
  expect([near, far]).toEqual([
    { status: 200, body: { book: 'a/b ?c' } },
    { status: 202, body: { book: 'x' } },
  ])
})

test('a declared problem arrives as the problem that was thrown', async () => {
  await expect(calls.echo(context(), { body: { word: 'x', fail: 'problem' } })).rejects.toMatchObject({
    name: 'Problem',
    code: 'shelf_full',
    status: 409,
    options: { detail: 'No room' },
  })
})

test('a bug at the other end, or nobody there, is service_unavailable and tells nothing of it', async () => {
  const bug = calls.echo(context(), { body: { word: 'x', fail: 'bug' } })
  await expect(bug).rejects.toMatchObject({ code: 'service_unavailable', options: { retryAfterSeconds: 1 } })
  const nobody = client(library, { self: 'reader', baseUrl: 'http://127.0.0.1:1', keys, timeoutMs: 500 })
  await expect(nobody.echo(context(), { body: { word: 'x' } })).rejects.toMatchObject({ code: 'service_unavailable' })
})

test('a refusal that the contract does not declare is a bug of ours, not an answer', async () => {
  const call = calls.echo(context(), { body: { word: 'x'.repeat(21) } })
  await expect(call).rejects.toThrow(/library refused a call of ours: invalid_request/)
})

test('an assertion signed by another process is refused', async () => {
  const stranger = new Map([['library', createSecretKey(randomBytes(32))]])
  const forged = client(library, { self: 'reader', baseUrl, keys: stranger, timeoutMs: 2_000 })
  await expect(forged.echo(context(), { body: { word: 'x' } })).rejects.toThrow(/invalid_credentials/)
})

test('a process has no call that the contract does not list it for', () => {
  expect(Object.keys(client(library, { self: 'reader', baseUrl, keys, timeoutMs: 2_000 }))).toHaveLength(3)
  expect(client(library, { self: 'stranger', baseUrl, keys, timeoutMs: 2_000 })).toEqual({})
})
