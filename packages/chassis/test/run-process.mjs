// A process in the frame of every main. Its request to /slow ends when the parent sends a message. Runs compiled code.
import { listenConfig, loadConfig, processConfig } from '@payments/chassis/base/config'
import { run } from '@payments/chassis/process/run'
import express from 'express'
import { z } from 'zod'

const readConfig = () => loadConfig(z.object({ ...processConfig, ...listenConfig }), process.env)

await run('fixture', readConfig, async ({ config, log, serve, serveHealth, work, resource }) => {
  const app = express()
  app.get('/slow', (_request, response) => {
    process.once('message', () => response.send('done'))
    process.send('in progress')
  })
  await serveHealth({ required: {} }, { HOST: '127.0.0.1', PORT: 0 })
  for (const name of ['database', 'broker']) resource(async () => log.info(`closed ${name}`))
  resource(() => Promise.reject(new Error('cannot be closed')))
  work({ stop: async () => log.info('stopped jobs') })
  await serve(app, config)
})
