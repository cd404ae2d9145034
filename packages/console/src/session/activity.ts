/** A person who reads moves the page within this time. */
const activeMs = 60_000

let lastInputAt = Date.now()
const record = () => void (lastInputAt = Date.now())
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const) {
  addEventListener(type, record, { capture: true, passive: true })
}

/** Sends a request. One that the page sends by itself, while no person uses it, does not prolong the session. */
export function fetchAsUsed(request: Request): Promise<Response> {
  if (Date.now() - lastInputAt > activeMs) request.headers.set('X-Console', 'idle')
  return globalThis.fetch(request)
}
