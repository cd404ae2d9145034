import { payctl } from './payctl.ts'

// A reader that closes the pipe early, such as `head`, ends payctl as SIGPIPE ends other tools.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(141)
  throw error
})

process.exit(await payctl(process.argv.slice(2)))
