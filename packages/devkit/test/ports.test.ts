import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from '@jest/globals'
import { choosePorts, freePorts, isFree, portFrom, requireFree } from '@payments/devkit/machine/ports'

async function withTakenPort<T>(use: (port: number) => Promise<T>): Promise<T> {
  const [port = 0] = await freePorts(1)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  try {
    return await use(port)
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
}

it('names the port in use, its purpose and its variable', async () => {
  await withTakenPort(async (port) => {
    await expect(requireFree([{ port, purpose: 'the gateway', variable: 'PORT' }])).rejects.toThrow(
      `Port ${port} is in use; it is needed for the gateway. Free it, or set PORT to another port.`,
    )
  })
})

it('names every port in use at once', async () => {
  await withTakenPort((first) =>
    withTakenPort(async (second) => {
      const uses = [
        { port: first, purpose: 'rbac', variable: 'RBAC_PORT' },
        { port: second, purpose: 'webhooks', variable: 'WEBHOOKS_PORT' },
      ]
      await expect(requireFree(uses)).rejects.toThrow(/RBAC_PORT[\s\S]*WEBHOOKS_PORT/)
    }),
  )
})

it('rejects one port for two processes', async () => {
  const [port = 0] = await freePorts(1)
  const uses = [
    { port, purpose: 'rbac', variable: 'RBAC_PORT' },
    { port, purpose: 'webhooks', variable: 'WEBHOOKS_PORT' },
  ]
  await expect(requireFree(uses)).rejects.toThrow(
    `Port ${port} is configured twice: for rbac (RBAC_PORT) and for webhooks (WEBHOOKS_PORT).`,
  )
})

const buildPortUse = (port: number, variable = 'RBAC_PORT') => ({ port, purpose: 'rbac', variable })

it('replaces a port in use by a free one, and says so', async () => {
  await withTakenPort(async (port) => {
    const said: string[] = []
    const env = await choosePorts({ HOME: '/' }, [buildPortUse(port)], { say: (line) => void said.push(line) })
    expect(said).toEqual([`Port ${port} is in use: port ${env['RBAC_PORT']} is for rbac (RBAC_PORT)`])
    expect(env).toEqual({ HOME: '/', RBAC_PORT: expect.stringMatching(/^\d+$/) })
    expect(await isFree(Number(env['RBAC_PORT']))).toBe(true)
  })
})

it('replaces successive ports of one variable together', async () => {
  await withTakenPort(async (port) => {
    const env = await choosePorts({}, [buildPortUse(port - 1), buildPortUse(port)], { say: () => {} })
    const first = Number(env['RBAC_PORT'])
    expect([await isFree(first), await isFree(first + 1), [first, first + 1].includes(port)]).toEqual([
      true,
      true,
      false,
    ])
  })
})

it('rejects a promised port and a named one that are in use', async () => {
  await withTakenPort(async (port) => {
    const say = () => {}
    const promised = choosePorts({}, [buildPortUse(port, 'PORT')], { promised: ['PORT'], say })
    await expect(promised).rejects.toThrow(`Port ${port} is in use`)
    const named = choosePorts({ RBAC_PORT: String(port) }, [buildPortUse(port)], { say })
    await expect(named).rejects.toThrow(`Port ${port} is in use`)
  })
})

it('uses the port of an earlier call again', async () => {
  const stored = join(mkdtempSync(join(tmpdir(), 'ports-')), 'ports.json')
  const say = () => {}
  const [free = 0] = await freePorts(1)
  try {
    const [first, port] = await withTakenPort(async (port) => [
      await choosePorts({}, [buildPortUse(port)], { stored, say }),
      port,
    ])
    expect(await choosePorts({}, [buildPortUse(port)], { stored, say })).toEqual(first)
    expect(await choosePorts({}, [buildPortUse(free, 'AUDIT_PORT')], { stored, say })).toEqual({})
    writeFileSync(stored, '{"AUDIT_')
    expect(await choosePorts({}, [buildPortUse(free, 'AUDIT_PORT')], { stored, say })).toEqual({})
  } finally {
    rmSync(dirname(stored), { recursive: true })
  }
})

it('finds different free ports below those the kernel gives to outgoing connections', async () => {
  const ports = await freePorts(5)
  expect(new Set(ports).size).toBe(5)
  for (const port of ports) {
    expect(port).toBeLessThan(32_768)
    expect(await isFree(port)).toBe(true)
  }
})

it.each(['0', '65536', 'http', '80.5', '-1'])('refuses %s as a port and names the variable', (text) => {
  expect(() => portFrom({ PORT: text }, 'PORT', 8080)).toThrow('PORT must be a port between 1 and 65535')
})

it('takes the fallback when the variable is empty or absent', () => {
  expect(portFrom({}, 'PORT', 8080)).toBe(8080)
  expect(portFrom({ PORT: '' }, 'PORT', 8080)).toBe(8080)
  expect(portFrom({ PORT: '9000' }, 'PORT', 8080)).toBe(9000)
})
