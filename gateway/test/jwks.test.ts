import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { recordedSpans } from '@payments/testing/peers/recorded-spans'
import { createKeySet, loadUrl } from '../src/authorization/jwks.ts'
import { until } from './world.ts'

let server: Server
let url: string
let listener: RequestListener
let requests: number
let failures: unknown[]

beforeEach(async () => {
  requests = 0
  failures = []
  server = createServer((request, response) => {
    requests += 1
    listener(request, response)
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
  listener = (_request, response) => void response.end(body)
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

  test('are read again for an unknown kid, at most once per cool-down', async () => {
    publish('one')
    const withoutCooldown = keySet({ cooldownMs: 0 })
    await withoutCooldown.find(header('one'))
    publish('one', 'two')
    expect(await withoutCooldown.find(header('two'))).toBeDefined()
    expect(requests).toBe(2)
    const keys = keySet()
    for (let i = 0; i < 10; i += 1) expect(await keys.find(header(`made-up-${i}`))).toBeUndefined()
    expect(requests).toBe(3)
  })

  test('stay in use while the issuer is unavailable', async () => {
    publish('one')
    const keys = keySet({ cooldownMs: 0, ageMaxMs: 0 })
    await keys.find(header('one'))
    listener = (_request, response) => void response.writeHead(500).end()
    expect(await keys.find(header('one'))).toBeDefined()
    await until(() => (failures.length > 0 ? true : undefined))
    expect(await keys.find(header('one'))).toBeDefined()
  })

  test('are requested at most once per cool-down while the issuer is unavailable', async () => {
    listener = (_request, response) => void response.writeHead(500).end()
    const keys = keySet()
    for (let i = 0; i < 5; i += 1) {
      await expect(keys.find(header('one'))).rejects.toMatchObject({ code: 'authorization_unavailable' })
    }
    expect(requests).toBe(1)
  })

  test('are read once the issuer is back and the cool-down is over', async () => {
    listener = (_request, response) => void response.writeHead(500).end()
    const keys = keySet({ cooldownMs: 0 })
    await expect(keys.find(header('one'))).rejects.toMatchObject({ code: 'authorization_unavailable' })
    publish('one')
    expect(await keys.find(header('one'))).toBeDefined()
  })

  test('are rejected after their withdrawal once the set has aged', async () => {
    publish('one')
    const keys = keySet({ cooldownMs: 0, ageMaxMs: 0 })
    expect(await keys.find(header('one'))).toBeDefined()
    publish('two')
    await until(async () => ((await keys.find(header('one'))) === undefined ? true : undefined))
    expect(await keys.find(header('two'))).toBeDefined()
  })

  test.each<[string, RequestListener]>([
    ['a failure', (_request, response) => void response.writeHead(500).end()],
    ['no JSON', (_request, response) => void response.end('<html>')],
    ['no key set', (_request, response) => void response.end('{"keys":1}')],
    ['a redirect', (_request, response) => void response.writeHead(302, { Location: '/elsewhere' }).end()],
    ['more than 256 KiB', (_request, response) => void response.end(`"${'x'.repeat(300 * 1024)}"`)],
  ])('cause authorization_unavailable while the issuer responds with %s', async (_name, given) => {
    listener = given
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
  ])('are read within the time-out when the issuer sends %s', async (_name, given) => {
    listener = given
    const startedAt = performance.now()
    await expect(loadUrl(url, 200)).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test('are read in a span of the request that needs them, which names no path', async () => {
    publish('one')
    const spans = await recordedSpans(() => keySet().find(header('one')))
    const root = spans.find(({ name }) => name === 'root')
    expect(spans.filter(({ name }) => name !== 'root')).toMatchObject([
      {
        name: 'fetch keys of token issuer',
        parentSpanId: root?.spanId,
        attributes: { 'server.address': '127.0.0.1', 'http.response.status_code': 200 },
      },
    ])
    expect(JSON.stringify(spans)).not.toContain('jwks.json')
  })
})
