import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { root } from '@payments/devkit/machine/profile'

/** The operations whose verb records an authorization change. */
function recording(service: string): string[] {
  const verbs = join(root, 'services', service, 'src', 'verbs')
  return readdirSync(verbs)
    .filter((file) => readFileSync(join(verbs, file), 'utf8').includes('recordAuthorizationChange('))
    .map((file) => file.replace('.ts', '').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
}

test('exactly the endpoints whose verb records an authorization change wait for the leases', () => {
  const recorded = contracts.map(({ service }) => [service, recording(service).sort()])
  const marked = contracts.map(({ service, endpoints }) => [
    service,
    Object.entries<Endpoint>(endpoints)
      .filter(([, endpoint]) => endpoint.changesAuthorization === true)
      .map(([operation]) => operation)
      .sort(),
  ])
  expect(marked).toEqual(recorded)
  expect(marked.flatMap(([, operations]) => operations)).toContain('deleteKey')
})
