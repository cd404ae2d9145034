import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endedCredentialHeader } from '@payments/chassis/base/ended-credential'
import { sessionAudience, sessionIssuer } from '@payments/contracts/grammar/session-value'
import { outcome } from '@payments/testing/calls/caller'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('createSessionToken', () => {
  test('gives a JWT of 15 minutes that names session and user, signed with a published key', async () => {
    const tenant = await world.tenant()
    const user = await tenant.member()
    const session = await user.signIn()
    const reply = await session.by([]).createToken()
    expect([reply.status, reply.body.token_type]).toEqual([200, 'Bearer'])
    const keys = (await world.asGateway.tokenKeys()).body
    expect(keys).toMatchObject({ keys: [{ kty: 'EC', crv: 'P-256', kid: 't1', use: 'sig', alg: 'ES256' }] })
    expect(Object.keys(keys.keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    const { payload } = await jwtVerify(reply.body.token, createLocalJWKSet(keys), {
      issuer: sessionIssuer('dev'),
      audience: sessionAudience,
    })
    expect(payload).toMatchObject({ sid: session.id, sub: user.id })
    expect(decodeProtectedHeader(reply.body.token)).toEqual({ alg: 'ES256', typ: 'JWT', kid: 't1' })
    expect(new Date((payload.exp ?? 0) * 1_000).toISOString()).toBe(reply.body.expires_at)
    expect(Math.round(((payload.exp ?? 0) - (payload.iat ?? 0)) / 60)).toBe(15)
  })

  test('a JWT gets no other one', async () => {
    const session = await (await (await world.tenant()).member()).signIn()
    expect(outcome(await session.byToken().createToken())).toEqual([403, 'session_required'])
  })

  test('a JWT ends with its session at the latest', async () => {
    const tenant = await world.tenant()
    const session = await (await tenant.member()).signIn()
    const [row] = await world.rows<{ end: Date }>(
      `UPDATE sessions SET expires_at = date_trunc('second', now()) + interval '5 minutes'
       WHERE id = $1::uuid RETURNING expires_at AS end`,
      session.id,
    )
    expect((await session.by().createToken()).body.expires_at).toBe(row?.end.toISOString())
  })

  test('needs a session that has not ended', async () => {
    const tenant = await world.tenant()
    expect(outcome(await tenant.by().createToken())).toEqual([403, 'session_required'])
    expect(outcome(await tenant.byJwt().createToken())).toEqual([403, 'session_required'])
    const session = await (await tenant.member()).signIn()
    await session.by().endSession(session.id)
    const reply = await session.by().createToken()
    expect(outcome(reply)).toEqual([401, 'invalid_credentials'])
    expect(reply.headers).toHaveProperty(endedCredentialHeader)
  })
})
