import type { Logger } from 'pino'
import { openConnection } from '../broker/connection.ts'
import { Publisher } from '../broker/publisher.ts'
import { Quarantine, type QuarantineOptions } from './quarantine.ts'

export interface OpenQuarantineOptions extends Pick<QuarantineOptions, 'name' | 'origins' | 'messagesMax'> {
  readonly broker: { readonly url: string; readonly prefix: string }
  readonly log: Logger
}

export interface OpenQuarantine {
  readonly quarantine: Quarantine
  close(): Promise<void>
}

/** The quarantine of a process, over connections of its own: a long browse delays no consumer. */
export async function openQuarantine(options: OpenQuarantineOptions): Promise<OpenQuarantine> {
  const { broker, name, origins, messagesMax, log } = options
  const { url, prefix } = broker
  const bound = messagesMax === undefined ? {} : { messagesMax }
  const publishing = await openConnection({ url, purpose: 'publish', name, log })
  const connection = await openConnection({ url, purpose: 'consume', name, log })
  const publisher = new Publisher({ connection: publishing, topology: [], log })
  return {
    quarantine: new Quarantine({ connection, publisher, prefix, name, origins, ...bound }),
    close: async () => {
      await publisher.close()
      await Promise.all([publishing.close(), connection.close()])
    },
  }
}
