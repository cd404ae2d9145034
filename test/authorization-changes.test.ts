import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { root } from '@payments/devkit/machine/profile'

/** The operations whose verb records an authorization change, itself or by a step that verbs share. */
function recording(service: string): string[] {
  const verbs = join(root, 'services', service, 'src', 'verbs')
  return readdirSync(verbs)
    .filter((file) => records(join(verbs, file)))
    .map((file) => file.replace('.ts', '').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
}

function records(file: string): boolean {
  const text = readFileSync(file, 'utf8')
  if (text.includes('recordAuthorizationChange(')) return true
  const imported = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(file), path))
  return imported.filter((one) => !/\/(generated|store)\//.test(one)).some(records)
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
