import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createKeySet, loadUrl } from '../src/authorization/jwks.ts'
import { until } from './world.ts'

let server: Server
let url: string
let answer: RequestListener
let requests: number
let failures: unknown[]

beforeEach(async () => {
  requests = 0
  failures = []
  server = createServer((request, response) => {
    requests += 1
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
})
afterEach(() => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())))

const keyNamed = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
  alg: 'ES256',
})
const publish = (...kids: string[]) => {
  const body = JSON.stringify({ keys: kids.map(keyNamed) })
  answer = (_request, response) => void response.end(body)
}
const keySet = (options: { cooldownMs?: number; ageMaxMs?: number } = {}) => {
  const [from, into] = [url, failures]
  return createKeySet({ load: () => loadUrl(from), onFailure: (error) => into.push(error), ...options })
}
const header = (kid: string) => ({ alg: 'ES256', kid })

describe('the keys of an issuer', () => {
  test('are read once for many tokens, even at the same time', async () => {
    publish('one')
    const keys = keySet()
    const found = await Promise.all(Array.from({ length: 10 }, () => keys.find(header('one'))))
    expect(found.every((key) => key?.type === 'public')).toBe(true)
    expect(requests).toBe(1)
  })

  test('are read again for a kid that is new, but not more often than the cool-down allows', async () => {
    publish('one')
    const impatient = keySet({ cooldownMs: 0 })
    await impatient.find(header('one'))
    publish('one', 'two')
    expect(await impatient.find(header('two'))).toBeDefined()
    expect(requests).toBe(2)
    const patient = keySet()
    for (let i = 0; i < 10; i += 1) expect(await patient.find(header(`made-up-${i}`))).toBeUndefined()
    expect(requests).toBe(3)
  })

  test('go on serving while the issuer is out', async () => {
    publish('one')
    const keys = keySet({ cooldownMs: 0, ageMaxMs: 0 })
    await keys.find(header('one'))
    answer = (_request, response) => void response.writeHead(500).end()
    expect(await keys.find(header('one'))).toBeDefined()
    await until(() => (failures.length > 0 ? true : undefined))
    expect(await keys.find(header('one'))).toBeDefined()
  })

  test('are not asked for more often than the cool-down allows while the issuer is out, either', async () => {
    answer = (_request, response) => void response.writeHead(500).end()
    const keys = keySet()
    for (let i = 0; i < 5; i += 1) {
      await expect(keys.find(header('one'))).rejects.toMatchObject({ code: 'authorization_unavailable' })
    }
    expect(requests).toBe(1)
  })

  test('are had as soon as the issuer is back, once the cool-down is over', async () => {
    answer = (_request, response) => void response.writeHead(500).end()
    const keys = keySet({ cooldownMs: 0 })
    await expect(keys.find(header('one'))).rejects.toMatchObject({ code: 'authorization_unavailable' })
    publish('one')
    expect(await keys.find(header('one'))).toBeDefined()
  })

  test('that are withdrawn are refused once the set has aged', async () => {
    publish('one')
    const keys = keySet({ cooldownMs: 0, ageMaxMs: 0 })
    expect(await keys.find(header('one'))).toBeDefined()
    publish('two')
    await until(async () => ((await keys.find(header('one'))) === undefined ? 'refused' : undefined))
    expect(await keys.find(header('two'))).toBeDefined()
  })

  test.each<[string, RequestListener]>([
    ['a failure', (_request, response) => void response.writeHead(500).end()],
    ['no JSON', (_request, response) => void response.end('<html>')],
    ['no key set', (_request, response) => void response.end('{"keys":1}')],
    ['a redirection', (_request, response) => void response.writeHead(302, { Location: '/elsewhere' }).end()],
    ['more than 256 KiB', (_request, response) => void response.end(`"${'x'.repeat(300 * 1024)}"`)],
  ])('that were never read, because the issuer answers %s, leave the question open', async (_name, listener) => {
    answer = listener
    await expect(keySet().find(header('one'))).rejects.toMatchObject({ code: 'authorization_unavailable' })
    expect(failures).toHaveLength(1)
  })

  test.each<[string, RequestListener]>([
    ['nothing', () => {}],
    ['its headers and no more', (_request, response) => response.writeHead(200).flushHeaders()],
    [
      'a byte now and then',
      (_request, response) => {
        const timer = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(timer))
      },
    ],
  ])('are not waited for longer than the time limit where the issuer sends %s', async (_name, listener) => {
    answer = listener
    const startedAt = performance.now()
    await expect(loadUrl(url, 200)).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })
})
