import { payctl } from './payctl.ts'

// A reader that closes the pipe early, such as `head`, ends payctl as SIGPIPE ends other tools.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(141)
  throw error
})

const code = await payctl(process.argv.slice(2))
// The end of a process discards what a pipe has not taken yet.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>((resolve) => stream.write('', () => resolve()))
}
process.exit(code)
