import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { WholeDeadLetter } from '@payments/contracts/services/webhooks/dead-letters'
import { describeError } from '@payments/egress/error-detail'
import { classifyError } from '@payments/egress/error-kind'
import { settled, someEvent, startWorld, subscribe, tenantWithUnit, type World } from './world.ts'

/** Errors as Node throws them, each with a text that no tenant may read. */
const errors: [code: string, message: string][] = [
  ['ECONNREFUSED', 'connect ECONNREFUSED 10.0.0.5:443'],
  ['ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.5:443'],
  ['EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.5:443 - Local (10.0.0.9:51234)'],
  ['ECONNRESET', 'read ECONNRESET'],
  ['ECONNRESET', 'socket hang up'],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND proxy.payments.svc.cluster.local'],
  ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN proxy.payments.svc.cluster.local'],
  ['ESERVFAIL', 'queryA ESERVFAIL hook.example.com via 10.96.0.10'],
  ['HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/'],
  ['EPROTO', 'write EPROTO 40E7:error:0A00010B:SSL routines:ssl3_get_record:wrong version:../deps/openssl/ssl.c:355:'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match: IP: 10.0.0.5 is not in the cert's list"],
  ['EGRESS_UNREACHABLE', 'the egress proxy egress.payments.svc:3128 responded with 502'],
  ['evil code; 10.0.0.5', 'x'],
  ['constructor', 'x'],
  ['', 'something else at 10.0.0.5'],
]
const internals = /10\.|payments|\bvia\b|routines|Parse Error|getaddrinfo|connect E|ssl\.c|egress|function/

describe('describeError', () => {
  test.each(errors)('describes %s without the text of the error: %s', (code, message) => {
    const error = Object.assign(new Error(message), { code })
    for (const connected of [false, true]) {
      const detail = describeError(classifyError(error, { connected }), error)
      expect(detail).toMatch(/^[a-z][\x20-\x7e]{10,100}$/)
      expect(detail).not.toMatch(internals)
    }
  })

  test('has different texts for causes that a tenant can act on', () => {
    const codes = ['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ETIMEDOUT']
    const details = codes.map((code) => describeError('connect', Object.assign(new Error(code), { code })))
    expect(new Set(details).size).toBe(codes.length)
  })
})

describe('texts about failed attempts', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld({
      schedule: '0s',
      lookup: async (host) => {
        if (host === 'inner.example.com') return ['169.254.169.254']
        if (host === 'closed.example.com') return ['127.0.0.1']
        throw Object.assign(new Error(`queryA ESERVFAIL ${host} via 10.96.0.10`), { code: 'ESERVFAIL' })
      },
    })
    await world.dispatch()
  })
  afterAll(() => world.stop())

  test('attempts and dead letters contain no resolved address and no text of a library', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    const hosts = { closed: `http://closed.example.com:${port}/`, unresolved: 'http://unresolved.example.com/' }
    for (const [name, url] of Object.entries(hosts)) {
      const subscribed = await subscribe(world, url)
      await world.publish(someEvent(subscribed.tenantId, subscribed.unitId))
      const delivery = await settled(subscribed, 'dead')
      const [attempt] = delivery.attempts
      const details = {
        closed: ['connect', 'the connection was refused'],
        unresolved: ['dns', 'the host name cannot be resolved'],
      }[name]
      expect([attempt?.error_kind, attempt?.error_detail]).toEqual(details)
      const letter = await subscribed.tenant.get(`/v1/webhooks/dead-letters/${delivery.id}`)
      expect((letter.body as WholeDeadLetter).last_error).toBe(`${details?.[0]}: ${details?.[1]}`)
      expect(letter.text).not.toMatch(/127\.0\.0\.1|10\.96|ECONN|ESERV|query/)
    }
  })

  test('a rejected creation contains no resolved address', async () => {
    const { tenant, unitPath } = await tenantWithUnit(world)
    const reply = await tenant.post(unitPath, { destination_url: 'https://inner.example.com/' })
    expect([reply.status, reply.body.code]).toEqual([422, 'destination_not_allowed'])
    expect(reply.text).not.toMatch(/169\.254|link-local|metadata/)
  })
})
