import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from '@jest/globals'
import { receiver } from '@payments/testing/receiver'
import { someEvent, startWorld, subscribe, until } from './world.ts'

test('bench', async () => {
  const world = await startWorld()
  const child = spawn(
    process.execPath,
    ['--cpu-prof', '--cpu-prof-dir=/tmp/prof', fileURLToPath(new URL('../dist/dispatcher.js', import.meta.url))],
    {
      env: {
        ENVIRONMENT: 'dev',
        LOG_LEVEL: process.env['CL'] ?? 'warn',
        INTERNAL_PORT: '22999',
        DATABASE_URL: world.database.url,
        AMQP_URL: world.brokerUrl,
        MESSAGING_PREFIX: world.prefix,
        WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
        WEBHOOKS_RETRY_SCHEDULE: '0s,200ms,400ms',
        ...world.vaultKeys,
      },
      stdio: 'inherit',
    },
  )
  const e = await receiver()
  const subs = await Promise.all([...Array(Number(process.env['SUBS'] ?? 1))].map(() => subscribe(world, e.url)))
  await until(async () => (await world.broker.deadLetters.backlog().catch(() => -1)) === 0)
  const t = Date.now()
  const n = 2000
  await Promise.all(
    [...Array(n)].map((_, i) => {
      const s = subs[i % subs.length]!
      return world.publish(someEvent(s.tenantId, s.unitId))
    }),
  )
  const t1 = Date.now()
  try {
    await until(async () => e.received.length >= n, 40000)
  } finally {
    const m = await (await fetch('http://127.0.0.1:22999/metrics')).text()
    console.log(
      'published',
      t1 - t,
      'all',
      Date.now() - t,
      (n / (Date.now() - t)) * 1000,
      '/s',
      e.received.length,
      m
        .split('\n')
        .filter((l) => /^process_cpu|webhook_attempt_duration_seconds_(sum|count)|swept/.test(l))
        .join('\n'),
    )
    child.kill('SIGTERM')
    await new Promise((r) => child.once('exit', r))
    await world.stop()
    await e.close()
  }
}, 90000)
