/** Rejects with Overdue, and aborts the signal, when the work takes longer. The work may continue. */
export async function withDeadline<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      deadline.abort()
      reject(new Overdue(`no response within ${timeoutMs} ms`))
    }, timeoutMs)
  })
  try {
    return await Promise.race([work(deadline.signal), overdue])
  } finally {
    clearTimeout(timer)
  }
}

export class Overdue extends Error {
  override readonly name = 'Overdue'
}
