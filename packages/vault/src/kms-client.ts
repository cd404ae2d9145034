import { DecryptCommand, EncryptCommand, GenerateDataKeyWithoutPlaintextCommand, KMSClient } from '@aws-sdk/client-kms'
import { dataKeyBytes } from './data-key.ts'

type Context = Record<string, string>

/** The three requests to AWS KMS. Each resolves with the bytes of the response and throws the error of the SDK. */
export interface Kms {
  generate(arn: string, context: Context, signal: AbortSignal): Promise<Uint8Array>
  encrypt(arn: string, dataKey: Uint8Array, context: Context, signal: AbortSignal): Promise<Uint8Array>
  decrypt(arn: string, wrapped: Uint8Array, context: Context, signal: AbortSignal): Promise<Uint8Array>
}

const attemptsMax = 3
const connectTimeoutMs = 1_000
const idleTimeoutMs = 60_000
const connectionsMax = 50

/**
 * Credentials and endpoint come from the standard variables and files of the AWS SDKs. Import this module only where
 * KMS is configured, because it loads the SDK.
 */
export function openKms(region: string, attemptTimeoutMs: number): Kms {
  const client = new KMSClient({
    region,
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: attemptTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: idleTimeoutMs,
      httpAgent: { keepAlive: true, maxSockets: connectionsMax },
      httpsAgent: { keepAlive: true, maxSockets: connectionsMax },
    },
  })
  return {
    async generate(KeyId, EncryptionContext, abortSignal) {
      const command = new GenerateDataKeyWithoutPlaintextCommand({
        KeyId,
        EncryptionContext,
        NumberOfBytes: dataKeyBytes,
      })
      return requireBytes((await client.send(command, { abortSignal })).CiphertextBlob)
    },
    async encrypt(KeyId, Plaintext, EncryptionContext, abortSignal) {
      const command = new EncryptCommand({ KeyId, Plaintext, EncryptionContext })
      return requireBytes((await client.send(command, { abortSignal })).CiphertextBlob)
    },
    async decrypt(KeyId, CiphertextBlob, EncryptionContext, abortSignal) {
      const command = new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext })
      return requireBytes((await client.send(command, { abortSignal })).Plaintext)
    },
  }
}

function requireBytes(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined || bytes.length === 0) throw new Error('the response of AWS KMS has no bytes')
  return bytes
}
