import { once } from 'node:events'
import { request, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import express from 'express'
import { z } from 'zod'
import { listenConfig, loadConfig } from '../src/base/config.ts'
import { idleMsMax, serviceAgent } from '../src/client/service-agent.ts'
import { createAppServer, listen, stopServer } from '../src/process/serve.ts'

test('the default drain delay is longer than the idle time of a connection to a service', () => {
  const { DRAIN_DELAY_MS: delayMs } = loadConfig(z.object(listenConfig), { PORT: '1' })
  expect(delayMs).toBeGreaterThan(idleMsMax)
})

test('reuses a connection, and closes an idle one before its server does', async () => {
  const app = express().get('/', (_request, response) => void response.send('done'))
  const server: Server = createAppServer(app)
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const connections: Socket[] = []
  server.on('connection', (socket) => connections.push(socket))
  const agent = serviceAgent({})
  for (let sent = 0; sent < 3; sent += 1)
    await once(request({ port, agent }, (response) => response.resume()).end(), 'close')
  const [connection] = connections
  expect(connections).toHaveLength(1)
  if (connection?.closed === false) await once(connection, 'close')
  agent.destroy()
  await stopServer(server, 0)
}, 90_000)
