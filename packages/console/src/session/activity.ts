/** A person who reads moves the page within this time. */
const activeMs = 60_000

let lastInputAt = Date.now()
const record = () => void (lastInputAt = Date.now())
for (const type of ['pointerdown', 'pointermove', 'click', 'keydown', 'input', 'focusin', 'wheel', 'touchmove']) {
  addEventListener(type, record, { capture: true, passive: true })
}

/** Sends a request. A read that the page sends by itself, while no person uses it, does not prolong the session. */
export function fetchAsUsed(request: Request): Promise<Response> {
  const isRead = request.method === 'GET'
  if (isRead && Date.now() - lastInputAt > activeMs) request.headers.set('X-Console', 'idle')
  return globalThis.fetch(request)
}
