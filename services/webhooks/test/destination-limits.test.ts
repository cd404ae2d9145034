import { expect, test } from '@jest/globals'
import { createPause } from '@payments/chassis/base/deadline'
import { until } from '@payments/testing/services/until'
import { createDestinationLimits, type DestinationLimits } from '../src/dispatch/destination-limits.ts'

const tenantId = 'tenant'
const slowMs = 50

function createLimits(perTenantMax: number): DestinationLimits {
  return createDestinationLimits({
    breaker: { failedPercentMin: 50, attemptsMin: 10, windowMs: 60_000, connectErrorsMax: 5, probeAfterMs: 30_000 },
    backlogSignal: createPause(),
    inFlight: { perDestinationMax: 10, perTenantMax },
    ownPart: (limit) => limit,
    slowMs,
  })
}

/** Runs `work` on a delivery that a message brings. */
async function attempt(
  limits: DestinationLimits,
  subscriptionId: string,
  work: Parameters<DestinationLimits['run']>[1],
) {
  const destination = { tenantId, subscriptionId }
  if (limits.startDue(destination)) await limits.run(destination, work)
}

/** Two attempts to each of five receivers that do not respond until `end`. Returns how many are in flight. */
function hanging(limits: DestinationLimits) {
  let inFlight = 0
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const attempts = [0, 1, 2, 3, 4].flatMap((receiver) =>
    [0, 1].map(() =>
      attempt(limits, `hanging ${receiver}`, async ({ acquire }) => {
        if (!(await acquire())) return
        inFlight += 1
        await ended
      }),
    ),
  )
  return { inFlight: () => inFlight, end, done: Promise.all(attempts) }
}

const tryAttempt = async (limits: DestinationLimits, subscriptionId: string): Promise<boolean> => {
  let hasPermit = false
  await attempt(limits, subscriptionId, async ({ acquire }) => {
    hasPermit = await acquire()
  })
  return hasPermit
}

test('many receivers that hang delay another receiver of their tenant once, and not for as long as they hang', async () => {
  const limits = createLimits(10)
  const first = hanging(limits)
  await until(() => first.inFlight() === 10)
  await new Promise((resolve) => setTimeout(resolve, slowMs * 20))
  first.end()
  await first.done

  const second = hanging(limits)
  expect(await tryAttempt(limits, 'healthy')).toBe(true)
  expect(await tryAttempt(limits, 'healthy')).toBe(true)
  expect(second.inFlight()).toBe(8)
  second.end()
  await second.done
})

test('a receiver that was slow is no longer, once it responds fast', async () => {
  const limits = createLimits(10)
  const slow = hanging(limits)
  await new Promise((resolve) => setTimeout(resolve, slowMs * 10))
  slow.end()
  await slow.done
  for (let attempts = 0; attempts < 40; attempts += 1) expect(await tryAttempt(limits, 'hanging 0')).toBe(true)
  const others = [1, 2, 3, 4].flatMap((receiver) => [`hanging ${receiver}`, `hanging ${receiver}`])
  const held = others.map((subscriptionId) =>
    attempt(limits, subscriptionId, async ({ acquire }) => void (await acquire())),
  )
  expect(await tryAttempt(limits, 'hanging 0')).toBe(true)
  await Promise.all(held)
})
