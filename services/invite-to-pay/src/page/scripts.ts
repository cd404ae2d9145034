/** The scripts of the page. Each is permitted by its hash, so none contains a value: texts are in attributes. */

/** Adds the time zone of the browser to the address of each form, for the receipt. */
export const timeZoneScript = `(() => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  if (!timeZone) return
  for (const form of document.forms) {
    const action = new URL(form.action)
    action.searchParams.set('time_zone', timeZone)
    form.action = action.href
  }
})()`

/**
 * Submits the token that the card page posts, once, and gives the frame the height that it posts, within bounds.
 * docs/pay-page.md describes the messages. Only the framed window counts, and only while it shows a page of the origin
 * of the card page. Our own card page posts its height once it runs: without it for 20 s, the page says that card entry
 * is not available, until it comes.
 */
export const frameScript = `(() => {
  const frame = document.getElementById('card-page')
  const form = document.getElementById('payment')
  const origin = new URL(frame.src).origin
  document.getElementById('script-needed').hidden = true
  frame.hidden = false
  const failed = document.getElementById('card-failed')
  const showFailure = (isShown) => {
    failed.hidden = !isShown
    frame.inert = isShown
    frame.classList.toggle('unloaded', isShown)
  }
  const timer = failed && setTimeout(showFailure, 20000, true)
  let submitted = false
  addEventListener('message', (event) => {
    if (submitted || event.source !== frame.contentWindow || event.origin !== origin) return
    const { type, token, height, payment_method: method = 'CREDIT_CARD' } = event.data ?? {}
    if (type === 'card_page_height' && Number.isFinite(height)) {
      frame.style.height = Math.min(Math.max(Math.ceil(height) + 2, 160), 1200) + 'px'
      clearTimeout(timer)
      if (failed) showFailure(false)
    }
    if (type !== 'payment_token' || typeof token !== 'string' || token === '' || token.length > 200) return
    if (method !== 'CREDIT_CARD' && method !== 'ACH') return
    submitted = true
    form.elements.cc_token.value = token
    form.elements.payment_method.value = method
    frame.hidden = true
    const sending = document.getElementById('sending')
    sending.textContent = sending.dataset.text
    form.submit()
  })
})()`

/**
 * Shows in every tab what happened in another one: a page posts the version of its code to the other pages of the code
 * in the browser, and a page of an earlier version loads itself again. Its form would be rejected. The reply to a form
 * gets the address of the page, so that Back and a reload submit nothing.
 */
export const tabsScript = `(() => {
  const { version, path, address } = document.documentElement.dataset
  const tabs = new BroadcastChannel(path)
  tabs.onmessage = ({ data }) => {
    if (data > Number(version)) location.replace(address)
  }
  tabs.postMessage(Number(version))
  history.replaceState(null, '', address)
})()`

/** Redirects to the bank, in place of the page, so that the button Back leads to the page of the code. */
export const bankScript = `location.replace(document.getElementById('bank').href)`

/**
 * Reads the page of the code until its state differs, and then shows that page, also from the reply to a form. Reads
 * after 1 s at first and after 15 s at last, each for at most 10 s; without another state within ten minutes, the page
 * says that it stops. A page without a state is a failure, unless its status is 200.
 */
export const progressScript = `(() => {
  const { state } = document.documentElement.dataset
  const text = document.getElementById('progress')
  const { address } = text.dataset
  const again = document.getElementById('again')
  const times = [[5, 1], [10, 2], [19, 5], [32, 15]]
  const delays = times.flatMap(([count, seconds]) => Array(count).fill(seconds * 1000))
  const hasChanged = async () => {
    const signal = AbortSignal.timeout(10000)
    const response = await fetch(address, { cache: 'no-store', referrerPolicy: 'no-referrer', signal })
    const found = /<html [^>]*data-state="([a-z_]+)"/.exec(await response.text())
    return found === null ? response.ok : found[1] !== state
  }
  again.hidden = true
  const next = () => {
    const delay = delays.shift()
    if (delay !== undefined) return setTimeout(read, delay)
    text.textContent = text.dataset.stopped
    document.body.classList.add('stopped')
    again.hidden = false
  }
  const read = async () => {
    if (!await hasChanged().catch(() => false)) return next()
    text.textContent = text.dataset.changed
    location.replace(address)
  }
  next()
})()`
