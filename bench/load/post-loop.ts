/**
 * The bare loop of the dispatch benchmark, a separate process: the HTTP client of the dispatcher and nothing else.
 */
import { randomUUID } from 'node:crypto'
import { createSender } from '#webhooks/egress/send'
import { serveParent } from '../measure/child-process.ts'

export interface PostRequest {
  readonly urls: readonly string[]
  readonly posts: number
  /** POSTs in flight per destination. */
  readonly perDestinationMax: number
  readonly payload: object
}

const { send } = createSender({ allowPrivate: true, stop: new AbortController().signal })

serveParent<object, PostRequest, object>({}, async ({ urls, posts, perDestinationMax, payload }) => {
  const body = Buffer.from(JSON.stringify({ trace_id: randomUUID(), metadata: { payload } }))
  const headers = { 'Content-Type': 'application/json', 'webhook-id': randomUUID() }
  let left = posts
  const worker = async (url: string) => {
    while (left > 0) {
      left -= 1
      const { errorKind, errorDetail } = await send({ url, headers, body })
      if (errorKind !== null) throw new Error(`${errorKind}: ${errorDetail}`)
    }
  }
  await Promise.all(urls.flatMap((url) => Array.from({ length: perDestinationMax }, () => worker(url))))
  return {}
})
