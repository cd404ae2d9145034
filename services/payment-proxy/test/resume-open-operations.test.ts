import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ProviderCalls } from '../src/connectors/provider-calls.ts'
import type { Operation } from '../src/domain/operation.ts'
import { accessBooks, readBooks, requireFound } from '../src/operation/books.ts'
import { instructProvider } from '../src/operation/execute.ts'
import { startResumeLoop } from '../src/operation/resume-loop.ts'
import type { LeasedOperation } from '../src/operation/start.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const leased = async (tenantId: string, transactionId: string, index: number) => {
  const found = requireFound(await readBooks(accessBooks(world.deps.db, tenantId), { transactionId }))
  return { ...found, operation: found.aggregate.operations[index] as Operation }
}

const secondMs = 1_000
const dayMs = 24 * 60 * 60 * 1_000
const lastOperation = (body: { operations: Record<string, unknown>[] }) => body.operations.at(-1)

describe('the loop of open operations', () => {
  test.each([
    ['timeout_applied', 'authorized', 'succeeded', 'authorize'],
    ['timeout_not_applied', 'pending', 'not_attempted', 'authorize.failed'],
  ])('%s: 202 unknown, then the sweeper reads the outcome', async (token, status, state, event) => {
    const tenant = world.tenant()
    const { status: code, body } = await tenant.authorize(token)
    expect([code, body.status, body.pending_operation.state]).toEqual([202, 'pending', 'unknown'])
    expect(await tenant.eventTypes()).toEqual(['create'])
    await world.resumeOpen()
    expect((await tenant.read(body.id)).body.pending_operation?.state).toBe('unknown')
    world.advanceClock(11 * secondMs)
    await world.resumeOpen()
    const settled = (await tenant.read(body.id)).body
    expect(settled).toMatchObject({ status, pending_operation: null })
    expect(lastOperation(settled)).toMatchObject({ state, attempt_count: 2 })
    expect(await tenant.eventTypes()).toEqual(['create', event])
  })

  test('an operation that is unknown for 24 h shows needs_review, and hourly syncs continue', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('timeout_applied')).body
    world.advanceClock(dayMs)
    expect((await tenant.read(id)).body.pending_operation.state).toBe('needs_review')
    await world.resumeOpen()
    expect((await tenant.read(id)).body.status).toBe('authorized')
  })
})

describe('a crash', () => {
  /** Resets an operation to its state before the outcome was recorded, as after a crash. */
  const resetOperation = (transactionId: string, number: number) =>
    world.rows(
      `UPDATE operations SET state = 'in_progress', completed_at = NULL, provider_reference = NULL, due_at = now() - interval '1 hour'
       WHERE transaction_id = $1::uuid AND number = $2`,
      transactionId,
      number,
    )
  const resetAmounts = (transactionId: string, set: string) =>
    world.rows(`UPDATE transactions SET ${set} WHERE id = $1::uuid`, transactionId)

  test('after the provider request: the sweeper reads the outcome', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize()).body
    await resetAmounts(id, 'amount_authorized = 0')
    await resetOperation(id, 1)
    await world.resumeOpen()
    expect((await tenant.read(id)).body).toMatchObject({ status: 'authorized', amount_authorized: 10_000 })
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('between authorization and capture: the sweeper captures once', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    await resetAmounts(id, 'amount_captured = 0')
    await resetOperation(id, 2)
    await world.rows(`DELETE FROM sandbox_operations WHERE tenant_id = $1::uuid AND type = 'capture'`, tenant.id)
    await Promise.all([world.resumeOpen(), world.resumeOpen(), world.resumeOpen()])
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_captured: 10_000 })
    expect(await tenant.ledger()).toHaveLength(2)
    expect(await tenant.recorded()).toEqual(await tenant.ledger())
  })

  test('an attempt that the sweeper has repeated does not end the operation as not sent', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    await resetAmounts(id, 'amount_captured = 0')
    await resetOperation(id, 2)
    const capture = await leased(tenant.id, id, 1)
    await world.rows('UPDATE operations SET attempt_count = 2 WHERE id = $1::uuid', capture.operation.id)
    const refusing = {
      ...world.deps.providerCalls,
      send: async () => ({ kind: 'not_attempted', reason: 'refused' }) as const,
    }
    const execute = { kind: 'execute', paymentDetails: null } as const
    await instructProvider({ ...world.deps, providerCalls: refusing }, capture, execute)
    expect((await tenant.read(id)).body.pending_operation).toMatchObject({ type: 'capture', state: 'unknown' })
  })

  describe('while the sweeper claims the operation again and again', () => {
    /** The service in which the sweeper claims an operation before each statement of the books. */
    function claiming({ operation }: LeasedOperation, provider: ProviderCalls) {
      const { db } = world.deps
      const pipelined: typeof db.pipelined = async (tenantId, statements) => {
        await world.rows('UPDATE operations SET attempt_count = attempt_count + 1 WHERE id = $1::uuid', operation.id)
        return db.pipelined(tenantId, statements)
      }
      return { ...world.deps, providerCalls: provider, db: { ...db, pipelined } }
    }

    test('an attempt that was not sent does not end the operation', async () => {
      const tenant = world.tenant()
      const { id } = (await tenant.authorize('visa', { capture: true })).body
      await resetAmounts(id, 'amount_captured = 0')
      await resetOperation(id, 2)
      const capture = await leased(tenant.id, id, 1)
      const refusing = {
        ...world.deps.providerCalls,
        send: async () => ({ kind: 'not_attempted', reason: 'x' }) as const,
      }
      const execute = { kind: 'execute', paymentDetails: null } as const
      await expect(instructProvider(claiming(capture, refusing), capture, execute)).rejects.toThrow(
        `the transaction of operation ${capture.operation.id} changed before each write of its outcome`,
      )
      expect((await tenant.read(id)).body.pending_operation).toMatchObject({ type: 'capture', state: 'in_progress' })
    })

    test('an outcome that was read is recorded, and each claim stays counted', async () => {
      const tenant = world.tenant()
      const { id } = (await tenant.authorize('timeout_applied')).body
      const authorization = await leased(tenant.id, id, 0)
      await instructProvider(claiming(authorization, world.deps.providerCalls), authorization, { kind: 'sync' })
      const { status, operations } = (await tenant.read(id)).body
      expect([status, operations[0].attempt_count]).toEqual(['authorized', 2])
      expect(await tenant.eventTypes()).toEqual(['create', 'authorize'])
    })
  })

  test('after the capture was executed: nothing is captured twice', async () => {
    const tenant = world.tenant()
    const { id } = (await tenant.authorize('visa', { capture: true })).body
    await resetAmounts(id, 'amount_captured = 0')
    await resetOperation(id, 2)
    await world.resumeOpen()
    expect((await tenant.read(id)).body).toMatchObject({ status: 'captured', amount_captured: 10_000 })
    expect(await tenant.ledger()).toHaveLength(2)
  })

  test('a tenant whose provider hangs delays no other tenant', async () => {
    const [slow, other] = [world.tenant(), world.tenant()]
    for (let count = 0; count < 5; count += 1) await slow.authorize('timeout_applied')
    const { id } = (await other.authorize('timeout_applied')).body
    world.advanceClock(60_000)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let held = 0
    const provider: ProviderCalls = {
      ...world.deps.providerCalls,
      send: async (request) => {
        if (request.operation.tenantId === slow.id) {
          held += 1
          await released
        }
        return world.deps.providerCalls.send(request)
      },
    }
    const loop = startResumeLoop({ ...world.deps, providerCalls: provider })
    while ((await other.read(id)).body.status !== 'authorized') await setImmediate()
    expect(held).toBe(3)
    release()
    while (held < 5) await setImmediate()
    await loop.stop()
    const { data } = (await slow.list()).body
    expect(data.map(({ status }: { status: string }) => status)).toEqual(Array(5).fill('authorized'))
  })

  test('tenants take turns: the operation of one waits for three of each other tenant', async () => {
    const busy = Array.from({ length: 7 }, () => world.tenant())
    for (const tenant of busy) for (let count = 0; count < 7; count += 1) await tenant.authorize('timeout_applied')
    const other = world.tenant()
    const { id } = (await other.authorize('timeout_applied')).body
    world.advanceClock(60_000)
    const held: (() => void)[] = []
    const sent: string[] = []
    const send: ProviderCalls['send'] = async (request) => {
      sent.push(request.operation.tenantId)
      await new Promise<void>((release) => held.push(release))
      return world.deps.providerCalls.send(request)
    }
    const loop = startResumeLoop({ ...world.deps, providerCalls: { ...world.deps.providerCalls, send } })
    while (held.length < 20) await setImmediate()
    for (const release of held.splice(0)) release()
    while (held.length < 20) await setImmediate()
    expect(sent.slice(0, 40)).toContain(other.id)
    const stopped = loop.stop()
    for (const release of held.splice(0)) release()
    await stopped
    expect((await other.read(id)).body.status).toBe('authorized')
  }, 60_000)
})
