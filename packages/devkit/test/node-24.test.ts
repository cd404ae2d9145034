import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { node24, provideNode24 } from '@payments/devkit/programs/node-24'

const { TEST_NODE_24 } = process.env
afterEach(() => {
  if (TEST_NODE_24 === undefined) delete process.env['TEST_NODE_24']
  else process.env['TEST_NODE_24'] = TEST_NODE_24
})

it('the second version of the tests has the major version of the images', () => {
  const [, major] = /^ARG RUNTIME_IMAGE=.*nodejs(\d+)/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? []
  expect(node24.split('.')[0]).toBe(major)
})

it('says that the tests are skipped, and fetches nothing', async () => {
  process.env['TEST_NODE_24'] = 'off'
  const said: string[] = []
  expect(await provideNode24((line) => said.push(line))).toBeUndefined()
  expect(said).toEqual([`the tests do not run with Node ${node24}: TEST_NODE_24 is off`])
})
