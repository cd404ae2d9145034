import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { sessionTokens } from '../src/session/session-tokens.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const newKey = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
}

test('publishes every key without its private part, so that JWTs of the previous key stay valid', async () => {
  const keys = { previous: newKey(), current: newKey() }
  const through = (current: string) => {
    const app = world.createAppWith({ sessionTokens: sessionTokens('dev', keys, current) })
    return { app, gateway: world.asGatewayAt(app) }
  }
  const before = through('previous')
  const tenant = await world.tenant(before.app)
  const user = await tenant.member()
  const session = await user.signIn()
  const { body } = await session.at(before.app).createToken()
  const published = (await through('current').gateway.tokenKeys()).body
  expect(published.keys.map(({ kid }: { kid: string }) => kid)).toEqual(['previous', 'current'])
  expect(JSON.stringify(published)).not.toContain('"d"')
  const verified = await jwtVerify(body.token, createLocalJWKSet(published))
  expect([verified.protectedHeader.kid, verified.payload['sid']]).toEqual(['previous', session.id])
})
