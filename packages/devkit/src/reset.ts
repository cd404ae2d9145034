/** npm run reset: forgets the data of `npm start`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { dockerIsAvailable, dockerRemove } from './docker.ts'
import { elsewhere } from './machine.ts'
import { claim } from './ownership.ts'
import { endRecorded } from './process-group.ts'
import { profile } from './profile.ts'
import { secretsOf } from './secrets.ts'

/** Refuses while `npm start` runs. Servers that the environment names are somebody else's and keep their databases. */
export async function reset(): Promise<number> {
  const own = profile('dev')
  const release = claim(own, 'npm run reset')
  try {
    await endRecorded(join(own.directory, 'processes.json'))
    if (await dockerIsAvailable()) await dockerRemove(own, secretsOf(own.directory))
    rmSync(elsewhere(own.directory), { recursive: true, force: true })
    rmSync(own.directory, { recursive: true, force: true })
  } finally {
    release()
  }
  console.log('Forgotten. The next npm start begins afresh.')
  if (process.env['DATABASE_URL'] || process.env['AMQP_URL'])
    console.log('What lies in the servers of DATABASE_URL and AMQP_URL was left as it is.')
  return 0
}
