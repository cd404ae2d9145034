import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { listEdges } from '@payments/contracts/edges/calls'
import { contracts } from '@payments/contracts/edges/contracts'
import { processNames } from '@payments/devkit/platform/process-plan'
import { issuers } from '@payments/testing/calls/edges'

const root = resolve(import.meta.dirname, '..')

/** The source folder of each process that calls others. */
const sources: Readonly<Record<string, string>> = {
  gateway: 'gateway/src',
  payctl: 'packages/payctl/src',
  ...Object.fromEntries(contracts.map(({ service }) => [service, `services/${service}/src`])),
}

const calls = contracts.flatMap(({ service, endpoints }) =>
  Object.entries(endpoints).flatMap(([operation, { callers = [] }]) =>
    callers.map((caller) => ({ call: `${caller} calls ${service}.${operation}`, caller, operation })),
  ),
)

test.each(calls)('$call: a caller that the contract lists makes the call', ({ caller, operation }) => {
  const text = readSource(caller)
  expect(text).toMatch(new RegExp(`\\b${operation}\\b`))
})

test('every process that may call another is one that tests try all keys of', () => {
  const named = [...new Set(listEdges(contracts).map(({ issuer }) => issuer))]
  expect(issuers).toEqual(expect.arrayContaining(named))
  expect([...issuers].sort()).toEqual([...processNames, 'payctl'].sort())
})

/** The code of a process, and of the copies for which some services call business-unit. */
function readSource(caller: string): string {
  const own = readFolder(sources[caller] ?? `no such process: ${caller}`)
  return own.includes('@payments/service/business-units/')
    ? own + readFolder('packages/service/src/business-units')
    : own
}

function readFolder(folder: string): string {
  const directory = join(root, folder)
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const typescript = files.filter((name) => name.endsWith('.ts') && !name.includes('generated'))
  return typescript.map((name) => readFileSync(join(directory, name), 'utf8')).join('\n')
}

test('the documented table of edges agrees with the contracts', () => {
  const text = readFileSync(join(root, 'docs', 'operating.md'), 'utf8')
  const [, table = ''] = /\| From \| To \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(text) ?? []
  const documented = [...table.matchAll(/\| (\S+) \| (.*) \|/g)].flatMap(([, issuer, audiences = '']) =>
    audiences.split(', ').map((audience) => `${issuer} > ${audience}`),
  )
  expect(documented.sort()).toEqual(
    listEdges(contracts)
      .map(({ issuer, audience }) => `${issuer} > ${audience}`)
      .sort(),
  )
})
