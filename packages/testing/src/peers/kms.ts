/**
 * AWS KMS for tests: a real HTTP server on loopback that speaks the JSON protocol of KMS for symmetric keys. It accepts
 * requests that are signed for KMS of the region of the key, without computing the signature again.
 */
import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen, stopServer } from '@payments/chassis/process/serve'

export interface KmsStandIn {
  /** For AWS_ENDPOINT_URL_KMS. */
  readonly url: string
  /** The variables of the SDK that lead to this server. */
  readonly env: Readonly<Record<string, string>>
  /** The operations that arrived, failed ones included. */
  readonly requests: readonly KmsRequest[]
  /** A new symmetric key; returns its ARN. */
  readonly createKey: (region?: string) => string
  readonly disableKey: (arn: string) => void
  readonly enableKey: (arn: string) => void
  /** How it responds from now on. `away` ends connections, `silent` never responds. */
  readonly become: (state: KmsState) => void
  readonly close: () => Promise<void>
}

type KmsState = 'available' | 'throttling' | 'failing' | 'away' | 'silent'

interface KmsRequest {
  readonly operation: string
  readonly keyId: string | undefined
  readonly context: Readonly<Record<string, string>>
}

interface Key {
  readonly material: Buffer
  enabled: boolean
}

interface Input {
  readonly KeyId?: string
  readonly Plaintext?: string
  readonly CiphertextBlob?: string
  readonly NumberOfBytes?: number
  readonly EncryptionContext?: Readonly<Record<string, string>>
}

/** An error as KMS reports it: its type in `__type`. */
class KmsError extends Error {
  readonly type: string
  readonly status: number

  constructor(type: string, status = 400) {
    super(type)
    this.type = type
    this.status = status
  }
}

const accessKeyId = 'AKIALOOPBACKONLY0000'
const bodyBytesMax = 64 * 1024
const nonceBytes = 12
const tagBytes = 16

export async function kmsStandIn(): Promise<KmsStandIn> {
  const keys = new Map<string, Key>()
  const requests: KmsRequest[] = []
  let state: KmsState = 'available'

  const respond = (request: IncomingMessage, body: string): unknown => {
    const operation = String(request.headers['x-amz-target']).replace(/^TrentService\./, '')
    const input = JSON.parse(body) as Input
    requests.push({ operation, keyId: input.KeyId, context: input.EncryptionContext ?? {} })
    if (state === 'throttling') throw new KmsError('ThrottlingException')
    if (state === 'failing') throw new KmsError('KMSInternalException', 500)
    requireSignature(request, input.KeyId)
    return performRequest(keys, operation, input)
  }

  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    if (state === 'away') return void request.socket.destroy()
    if (state === 'silent') return
    try {
      send(response, 200, respond(request, body))
    } catch (error) {
      if (!(error instanceof KmsError)) throw error
      send(response, error.status, { __type: error.type, message: error.type })
    }
  })
  const url = `http://127.0.0.1:${await listen(server, { host: '127.0.0.1', port: 0 })}`
  const setEnabled = (arn: string, enabled: boolean) => {
    requireKey(keys, arn).enabled = enabled
  }
  return {
    url,
    env: {
      AWS_ENDPOINT_URL_KMS: url,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: 'loopback',
    },
    requests,
    createKey(region = 'eu-central-1') {
      const arn = `arn:aws:kms:${region}:111122223333:key/${randomUUID()}`
      keys.set(arn, { material: randomBytes(32), enabled: true })
      return arn
    },
    disableKey: (arn) => setEnabled(arn, false),
    enableKey: (arn) => setEnabled(arn, true),
    become(next) {
      state = next
    },
    close: () => stopServer(server, 0),
  }
}

/** The operations that the vault uses. */
function performRequest(keys: Map<string, Key>, operation: string, input: Input): unknown {
  const { KeyId: arn = '', EncryptionContext: context = {} } = input
  const key = requireKey(keys, arn)
  if (!key.enabled) throw new KmsError('DisabledException')
  switch (operation) {
    case 'GenerateDataKeyWithoutPlaintext':
      return { KeyId: arn, CiphertextBlob: wrap(arn, key, randomBytes(input.NumberOfBytes ?? 0), context) }
    case 'Encrypt':
      return { KeyId: arn, CiphertextBlob: wrap(arn, key, Buffer.from(input.Plaintext ?? '', 'base64'), context) }
    case 'Decrypt':
      return { KeyId: arn, Plaintext: unwrap(keys, arn, Buffer.from(input.CiphertextBlob ?? '', 'base64'), context) }
    default:
      throw new KmsError('UnknownOperationException')
  }
}

function requireKey(keys: Map<string, Key>, arn: string): Key {
  const key = keys.get(arn)
  if (key === undefined) throw new KmsError('NotFoundException')
  return key
}

/** Length of the ARN, ARN, nonce, ciphertext, tag. The encryption context is authenticated, whatever its order. */
function wrap(arn: string, { material }: Key, plaintext: Buffer, context: object): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', material, nonce).setAAD(associatedData(context))
  const encrypted = [cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([Buffer.from([arn.length]), Buffer.from(arn), nonce, ...encrypted]).toString('base64')
}

function unwrap(keys: Map<string, Key>, arn: string, blob: Buffer, context: object): string {
  const [arnLength = 0] = blob
  const wrappedBy = keys.get(blob.toString('utf8', 1, 1 + arnLength))
  if (wrappedBy === undefined) throw new KmsError('InvalidCiphertextException')
  if (wrappedBy !== keys.get(arn)) throw new KmsError('IncorrectKeyException')
  const encrypted = blob.subarray(1 + arnLength)
  const tagAt = encrypted.length - tagBytes
  try {
    const decipher = createDecipheriv('aes-256-gcm', wrappedBy.material, encrypted.subarray(0, nonceBytes))
    decipher.setAAD(associatedData(context)).setAuthTag(encrypted.subarray(tagAt))
    return Buffer.concat([decipher.update(encrypted.subarray(nonceBytes, tagAt)), decipher.final()]).toString('base64')
  } catch {
    throw new KmsError('InvalidCiphertextException')
  }
}

function associatedData(context: object): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** `Credential=<access key>/<date>/<region>/kms/aws4_request` of signature version 4. */
function requireSignature(request: IncomingMessage, arn = ''): void {
  const [, id, region, service] =
    /Credential=([^/]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/.exec(request.headers.authorization ?? '') ?? []
  if (id !== accessKeyId) throw new KmsError('UnrecognizedClientException')
  if (service !== 'kms' || region !== arn.split(':')[3]) throw new KmsError('InvalidSignatureException')
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
}
