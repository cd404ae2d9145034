import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@payments/devkit/machine/profile'
import { type ProcessName, processNames } from '@payments/devkit/platform/process-plan'
import type { Exit } from '@payments/devkit/processes/process-group'
import { services } from '@payments/devkit/servers/databases'
import type { CommittedEvent } from '../faults/runner/ledger.ts'
import type { Onboarded } from '../tenant.ts'
import { openClient } from './client.ts'
import { addColumns } from './columns.ts'
import type { Installed, Replica } from './fleet.ts'
import { migrate } from './migrations.ts'
import { createTraffic, type Traffic } from './traffic.ts'
import type { World } from './world.ts'

/** The facts of one upgrade under load. */
export interface Upgrade {
  /** Requests without the promised response. */
  readonly failed: readonly string[]
  readonly counts: ReturnType<Traffic['counts']>
  /** How each process of the previous release ended. */
  readonly exits: Readonly<Record<string, Exit>>
  /** Changes of columns that break the previous release. */
  readonly incompatible: readonly string[]
  /** Events that were committed from the start of the load to its end. */
  readonly events: readonly CommittedEvent[]
  readonly tenant: Onboarded
}

/** The name of the destination that receives every event. */
export const destination = 'everything'
const gateways = 2
/** Works that must succeed before the next step. */
const worksBetween = 12

/** The processes of each step, from the table in docs/operating.md. */
export function documentedOrder(): ProcessName[][] {
  const page = readFileSync(join(root, 'docs', 'operating.md'), 'utf8')
  const rows = page.matchAll(/^\| \d \| ([a-z, -]+) \|/gm)
  return [...rows].map(([, names = '']) => names.split(', ') as ProcessName[])
}

/** Replaces the previous release by the current one while clients send requests. */
export async function upgradeUnderLoad(world: World): Promise<Upgrade> {
  const { fleet, previous, current, ledger } = world
  const replaced = processNames.filter((name) => previous.plans.some((plan) => plan.name === name))
  const replicas = await Promise.all(
    replaced.flatMap((name) =>
      Array.from({ length: name === 'gateway' ? gateways : 1 }, (_, number) => fleet.start(previous, name, number)),
    ),
  )
  const tenant = await world.onboard()
  await subscribe(world, tenant)
  const traffic = createTraffic(fleet.ports.gateway, tenant)
  const from = await ledger.mark()
  traffic.start()
  const exits: Record<string, Promise<Exit>> = {}
  let incompatible: string[] = []
  let failed: string[]
  try {
    await traffic.ended(worksBetween)
    incompatible = await migrateAll(world)
    await traffic.ended(worksBetween)
    for (const names of documentedOrder()) {
      const step = replicas.filter(({ name }) => names.includes(name))
      const added = names.filter((name) => !replaced.includes(name))
      await Promise.all(added.map((name) => fleet.start(current, name, 0)))
      if (names.includes('gateway')) await replaceInTurn(world, current, step)
      else await replaceTogether(world, current, step)
      for (const [number, { name, running }] of step.entries()) exits[`${name} ${number}`] = running.exited
      await traffic.ended(worksBetween)
    }
  } finally {
    failed = await traffic.stop()
  }
  const ended = Object.entries(exits).map(async ([name, exit]) => [name, await exit] as const)
  return {
    failed,
    counts: traffic.counts(),
    exits: Object.fromEntries(await Promise.all(ended)),
    incompatible,
    events: await ledger.between(from, await ledger.mark()),
    tenant,
  }
}

/** Applies the migrations of this checkout, then one more that adds a column to every table. */
async function migrateAll({ databases, previous }: World): Promise<string[]> {
  const incompatible: string[] = []
  for (const service of services) {
    const { ownerUrl } = databases[service]
    incompatible.push(...(await migrate(ownerUrl, service, previous.directory)))
    await addColumns(ownerUrl)
  }
  return incompatible
}

/** As a Deployment without unavailable replicas: the previous process ends when its successor is ready. */
async function replaceTogether({ fleet }: World, current: Installed, step: readonly Replica[]): Promise<void> {
  await Promise.all(step.map(({ name }) => fleet.start(current, name, 0)))
  await Promise.all(step.map(fleet.terminate))
}

/** As a StatefulSet: one replica after the other, each with the disk of its predecessor. */
async function replaceInTurn({ fleet }: World, current: Installed, step: readonly Replica[]): Promise<void> {
  for (const [number, replica] of step.entries()) {
    await fleet.terminate(replica)
    await replica.running.exited
    await fleet.start(current, replica.name, number)
  }
}

async function subscribe({ fleet, endpoint }: World, tenant: Onboarded): Promise<void> {
  const { send, close } = openClient(fleet.ports.gateway, tenant.tenant_id)
  const path = `/v1/webhooks/${tenant.business_unit_id}/webhooks`
  const body = { destination_url: endpoint.buildUrl(destination) }
  await send({ method: 'POST', path, body, key: tenant.api_key.value, expected: 201 })
  close()
}
