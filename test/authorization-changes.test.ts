import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { root } from '@payments/devkit/machine/profile'

const marker = 'recordAuthorizationChange('

/** Operations that reach a verb of another name. */
const sharedVerbs: Readonly<Record<string, string>> = {
  removeUserOfTenant: 'removeUser',
  resumeTenant: 'setTenantStatus',
  suspendTenant: 'setTenantStatus',
}

/** The verbs that record an authorization change, themselves or by a step of another folder of the service. */
function recording(service: string): string[] {
  const verbs = join(root, 'services', service, 'src', 'verbs')
  return readdirSync(verbs)
    .filter((file) => reaches(join(verbs, file)))
    .map((file) => file.replace('.ts', '').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
}

/** Whether a file, or a file of the service whose values it imports, has the marker. */
function reaches(file: string, seen: Set<string> = new Set()): boolean {
  if (seen.has(file) || file.includes('/generated/')) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (text.includes(marker)) return true
  const imported = [...text.matchAll(/^import (?!type\b)[^'"]*'(\.[^']+)'/gm)].map(([, path = '']) => path)
  return imported.some((path) => reaches(join(dirname(file), path), seen))
}

test('exactly the endpoints whose verb records an authorization change wait for the leases', () => {
  const recorded = contracts.map(({ service }) => [service, recording(service).sort()])
  const marked = contracts.map(({ service, endpoints }) => [
    service,
    Object.entries<Endpoint>(endpoints)
      .filter(([, endpoint]) => endpoint.changesAuthorization === true)
      .map(([operation]) => sharedVerbs[operation] ?? operation)
      .filter((verb, position, all) => all.indexOf(verb) === position)
      .sort(),
  ])
  expect(marked).toEqual(recorded)
  expect(marked.flatMap(([, operations]) => operations)).toContain('deleteKey')
})
