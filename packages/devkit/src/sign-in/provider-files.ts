/** The files of the development sign-in provider: the secret of its client, and the key that signs ID tokens. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivately } from '../machine/secrets.ts'

/** The id of the development provider in the configuration of identity. */
export const developmentProviderId = 'dev-sign-in'

/** The client of the development provider. identity is this client. */
export const developmentClientId = 'payment-service'

/** Creates the files once per profile. Only their owner can read them. */
export function signInProviderFiles(directory: string) {
  const files = {
    /** For CLIENT_SECRET_FILE of the provider, and `client_secret_file` of identity. */
    clientSecretFile: join(directory, 'sign-in-client.secret'),
    /** For KEY_FILE of the provider: a P-256 key, PEM. */
    keyFile: join(directory, 'sign-in-provider.pem'),
  }
  if (!existsSync(files.clientSecretFile)) {
    writePrivately(files.clientSecretFile, randomBytes(32).toString('base64url'))
  }
  if (!existsSync(files.keyFile)) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writePrivately(files.keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  }
  return files
}
