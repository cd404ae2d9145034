/** @slow It runs the commands of a document. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadConfig } from '@payments/chassis/base/config'
import { root } from '@payments/devkit/machine/profile'
import { processNames } from '@payments/devkit/platform/process-plan'
import { readEnvFile } from '@payments/payctl/installation/env-file'
import { environments } from '../scripts/texts/environments.mjs'
import { findBlock, shell, startedProcesses } from './deploying/page.ts'

/**
 * docs/deploying.md, "Without Kubernetes": the commands that need no server, on the compiled checkout. They write the
 * environment of every process. deployed-platform.test.ts runs all commands of the page and starts the processes.
 */
let directory: string
const installation = () => join(directory, 'etc')

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'settings-'))
  mkdirSync(join(directory, 'opt'))
  symlinkSync(root, join(directory, 'opt', 'current'))
  const variables = {
    PATH: process.env['PATH'],
    ENVIRONMENT: 'qa',
    RELEASES: join(directory, 'opt'),
    INSTALLATION: installation(),
    STATE: join(directory, 'var'),
    POSTGRES: 'postgresql://db.example',
    RABBITMQ: 'amqps://mq.example/payments',
    HOST_NAME: 'pay.qa.example.com',
  }
  const { run } = shell(variables, '')
  await run(findBlock('Generate the secrets'))
  await run(findBlock('Write the settings'))
}, 120_000)
afterAll(() => rmSync(directory, { recursive: true }))

const variablesIn = (file: string) => readEnvFile(readFileSync(join(installation(), file), 'utf8'))

test('the page starts every process', () => {
  expect(startedProcesses().sort()).toEqual([...processNames].sort())
})

test.each(processNames)('%s has an entry point, and accepts the environment that the page writes', async (name) => {
  const own = variablesIn(`${name}.env`)
  expect(existsSync(join(root, own.get('ENTRY') ?? 'missing'))).toBe(true)
  const [, folder = '', schema = ''] = environments.find(([one]) => one?.replace(' ', '-') === name) ?? []
  const { [schema]: environment } = await import(join(root, folder, 'src/config.ts'))
  const env = Object.fromEntries([...variablesIn('settings.env'), ...own, ...variablesIn(`secrets/${name}.env`)])
  expect(() => loadConfig(environment, env)).not.toThrow()
})
