/** npm run reset: deletes the data of `npm start`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { elsewhere } from '../machine/machine.ts'
import { profile } from '../machine/profile.ts'
import { loadSecrets } from '../machine/secrets.ts'
import { acquireProfile } from '../processes/ownership.ts'
import { endRecorded } from '../processes/process-group.ts'
import { dockerIsAvailable, dockerRemove } from '../servers/docker.ts'

/** Throws while `npm start` runs. Keeps the databases of servers that the environment names. */
export async function reset(): Promise<number> {
  const own = profile('dev')
  const release = acquireProfile(own, 'npm run reset')
  try {
    await endRecorded(join(own.directory, 'processes.json'))
    if (await dockerIsAvailable()) await dockerRemove(own, loadSecrets(own.directory))
    rmSync(elsewhere(own.directory), { recursive: true, force: true })
    rmSync(own.directory, { recursive: true, force: true })
  } finally {
    release()
  }
  console.log('Deleted. The next npm start creates new data.')
  if (process.env['DATABASE_URL'] || process.env['AMQP_URL'])
    console.log('Data in the servers of DATABASE_URL and AMQP_URL is unchanged.')
  return 0
}
