import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { find } from '@payments/devkit/machine/machine'
import { freePorts } from '@payments/devkit/machine/ports'
import { requirePrometheus, startPrometheus } from '@payments/devkit/platform/prometheus'
import { start } from '@payments/devkit/platform/start'
import { processGroup, until } from '@payments/devkit/processes/process-group'

const { PATH } = process.env
let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'prometheus-'))
})

afterEach(() => {
  process.env['PATH'] = PATH
  rmSync(directory, { recursive: true })
})

it('says how to install Prometheus where it is missing, before anything starts', async () => {
  process.env['PATH'] = directory
  expect(() => requirePrometheus()).toThrow('Install it: apt-get install prometheus')
  await expect(start(['--observe'], {})).rejects.toThrow('Install it: apt-get install prometheus')
  await expect(start(['--obsreve'], {})).rejects.toThrow('no argument "--obsreve". It has: --observe')
})

const program = find('prometheus')
if (program === undefined) console.warn('not run: Prometheus is missing. apt-get install prometheus')
else it('scrapes the processes, loads the rules, and ends with the stack', () => scrapes(program))

async function scrapes(program: string): Promise<void> {
  const metrics = createServer((_request, response) => response.end('component_up{service="rbac",component="x"} 1\n'))
  await new Promise<void>((resolve) => metrics.listen(0, '127.0.0.1', resolve))
  const { port: target } = metrics.address() as AddressInfo
  const group = processGroup()
  try {
    const [port = 0] = await freePorts(1)
    const plans = [{ name: 'rbac' as const, readyUrl: `http://127.0.0.1:${target}/readyz` }]
    const logFile = join(directory, 'prometheus.log')
    const { url } = await startPrometheus(group, { program, directory, logFile, port, plans })
    const read = async (path: string) => JSON.stringify(await (await fetch(`${url}/api/v1/${path}`)).json())
    expect(await read('rules')).toContain('"name":"ProcessDown"')
    const scraped = async () => (await read('query?query=component_up')).includes('"service":"rbac"')
    expect(await until(scraped, 60_000)).toBe(true)
    expect(await read('query?query=up')).toContain('"service":"rbac"')
    await group.close()
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  } finally {
    await group.close()
    metrics.close()
  }
}
