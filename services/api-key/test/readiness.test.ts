import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type App } from '@payments/chassis/app'
import { createApp } from '../src/app.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

describe('readiness', () => {
  const ready = async (app: App) => {
    const { default: request } = await import('supertest')
    return request(app).get('/readyz')
  }

  test('reports ready, or that the broker is unavailable', async () => {
    expect((await ready(world.app)).status).toBe(200)
    const reply = await ready(createApp({ ...world.deps, broker: async () => 'not connected' }))
    expect([reply.status, reply.body.reasons]).toEqual([503, { broker: 'not connected' }])
  })
})
