import { constants, createPublicKey, type KeyObject, publicEncrypt } from 'node:crypto'
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { commandFailure, shortText, usageError } from './arguments.ts'

/**
 * Where the value of a new API key goes. Standard output may be collected, as the log of a Job is, so the value goes
 * there only when it is a terminal, encrypted, or chosen by an option.
 */
export interface KeyOptions {
  keyOutput?: string
  encryptKey?: KeyObject
  showKey?: true
}

const pathMax = 500
const bitsMin = 2048

/** Adds the options to a command that creates an API key. */
export function keyOptions(command: Command): Command {
  return command
    .option(
      '--key-output <file>',
      'write the value of the API key to a new file that only you can read',
      shortText(pathMax),
    )
    .option(
      '--encrypt-key <key>',
      'print the value of the API key encrypted for an RSA public key, in base64 (DER, SubjectPublicKeyInfo)',
      publicKey,
    )
    .option('--show-key', 'print the value of the API key although standard output is not a terminal, or as JSON')
}

/** The fields of the output. */
export type ShownKey = { value: string } | { value_encrypted: string } | { value_file: string }

type Work = (show: (value: string) => ShownKey) => Promise<void>

/**
 * Runs `work`, which creates an API key and calls `show` with its value. The destination is decided before, so that no
 * key is created whose value is lost. Throws a CommanderError when the options do not decide it, or the file cannot be
 * created.
 */
export async function withKeyOutput(options: KeyOptions & { json?: true }, work: Work): Promise<void> {
  const { keyOutput, encryptKey, showKey, json } = options
  const chosen = [keyOutput, encryptKey, showKey].filter((one) => one !== undefined)
  if (chosen.length > 1) throw usageError('--key-output, --encrypt-key and --show-key exclude each other')
  if (keyOutput !== undefined) return withKeyFile(keyOutput, work)
  if (encryptKey !== undefined) return work((value) => ({ value_encrypted: encrypt(encryptKey, value) }))
  if (showKey || (process.stdout.isTTY && !json)) return work((value) => ({ value }))
  throw usageError('the value of the API key needs --key-output, --encrypt-key or --show-key: it is shown once')
}

/** The label and content of the value for operators. */
export function shownKeyFields(shown: ShownKey): Record<string, string> {
  if ('value' in shown) return { 'api key': shown.value }
  if ('value_file' in shown) return { 'api key file': shown.value_file }
  return { 'api key (encrypted)': shown.value_encrypted }
}

/** Removes the file again when no key was created. */
async function withKeyFile(file: string, work: Work): Promise<void> {
  const descriptor = createFile(file)
  let isWritten = false
  try {
    await work((value) => {
      writeSync(descriptor, `${value}\n`)
      isWritten = true
      return { value_file: file }
    })
  } finally {
    closeSync(descriptor)
    if (!isWritten) unlinkSync(file)
  }
}

function createFile(file: string): number {
  try {
    // Fails if the file exists: its mode could be another.
    return openSync(file, 'wx', 0o600)
  } catch (cause) {
    throw commandFailure(`--key-output: ${file} cannot be created: ${(cause as Error).message}`)
  }
}

function encrypt(key: KeyObject, value: string): string {
  const padding = { key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  return publicEncrypt(padding, Buffer.from(value)).toString('base64')
}

function publicKey(written: string): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(written, 'base64'), format: 'der', type: 'spki' })
    const { modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
    if (key.asymmetricKeyType === 'rsa' && modulusLength >= bitsMin) return key
  } catch {
    // Reported below: the message of the parser does not name the option.
  }
  throw new InvalidArgumentError(`must be an RSA public key of at least ${bitsMin} bits, in base64 (DER)`)
}
