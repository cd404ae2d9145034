/**
 * Stripe in a browser: a script with the parts of Stripe.js that the card page uses, a frame with fields, and the
 * creation of PaymentMethods, at the addresses of Stripe. So the policy of the page is tested with the real sources.
 */
import type { BrowserContext } from '@payments/testing/peers/browser'

/** As Stripe.js: fields in a frame of Stripe, events, and errors as values. `calls` of the page has its arguments. */
const script = `(() => {
  window.calls = []
  window.Stripe = (key, options) => {
    calls.push(['Stripe', key, options])
    if (window.top === window) throw new Error('not in a frame')
    let frame
    const handlers = {}
    const request = (message) => new Promise((resolve) => {
      const channel = new MessageChannel()
      channel.port1.onmessage = ({ data }) => resolve(data)
      frame.contentWindow.postMessage({ ...message, key }, 'https://js.stripe.com', [channel.port2])
    })
    const elements = {
      create: (type, settings) => {
        calls.push(['create', type, settings])
        return {
          on: (event, handler) => { handlers[event] = handler },
          mount: (selector) => {
            frame = document.createElement('iframe')
            frame.title = 'Secure payment input frame'
            frame.src = 'https://js.stripe.com/fields.html'
            frame.style.cssText = 'border:0;width:100%;height:220px;display:block'
            document.querySelector(selector).append(frame)
            addEventListener('message', ({ source, data }) => {
              if (source === frame.contentWindow) handlers[data.event]?.(data)
            })
          },
        }
      },
      update: (settings) => calls.push(['update', settings]),
      submit: () => request({ type: 'submit' }),
    }
    return {
      elements: (settings) => { calls.push(['elements', settings]); return elements },
      createPaymentMethod: (given) => {
        calls.push(['createPaymentMethod', Object.keys(given)])
        return request({ type: 'create' })
      },
    }
  }
})()`

/** The number selects the outcome: one of a card that Stripe rejects, or an empty field. */
const fields = `<!doctype html><html lang="en"><title>Fields</title><body style="margin:0;font:16px system-ui">
<style>label{display:block}input{display:block;width:100%;box-sizing:border-box;min-height:44px;margin-bottom:8px}</style>
<label>Card number<input id="number" inputmode="numeric"></label><label>Expiry<input id="expiry"></label><label>CVC<input id="cvc"></label>
<script>
  const post = (event) => parent.postMessage({ event }, '*')
  document.addEventListener('input', () => post('change'))
  addEventListener('message', async ({ data, ports: [port] }) => {
    const number = document.getElementById('number').value
    if (data.type === 'submit') {
      return port.postMessage(number === '' ? { error: { type: 'validation_error', message: 'Your card number is incomplete.' } } : {})
    }
    const reply = await fetch('https://api.stripe.com/v1/payment_methods', {
      method: 'POST', body: new URLSearchParams({ type: 'card', 'card[number]': number, key: data.key }),
    })
    port.postMessage(await reply.json())
  })
  post(location.hash === '#loaderror' ? 'loaderror' : 'ready')
</script></body></html>`

export interface StripeInBrowser {
  /** The bodies of the requests that created PaymentMethods. */
  readonly created: URLSearchParams[]
  /** Origins other than those of Stripe that the pages of the context requested. */
  readonly others: Set<string>
  /** The id that the next PaymentMethods have. */
  paymentMethod: string
  /** `blocked`: the script cannot be loaded. `slow`: no response of the API, `silent`: no script, until `release`. */
  fault: 'none' | 'blocked' | 'slow' | 'silent' | 'no_fields'
  release(): void
}

/** Serves Stripe to the pages of a context. */
export async function serveStripe(context: BrowserContext): Promise<StripeInBrowser> {
  const waiting: (() => void)[] = []
  const stripe: StripeInBrowser = {
    created: [],
    others: new Set(),
    paymentMethod: 'pm_card_visa',
    fault: 'none',
    release: () => {
      for (const proceed of waiting.splice(0)) proceed()
    },
  }
  context.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (!origin.endsWith('.stripe.com')) stripe.others.add(origin)
  })
  const released = () => new Promise<void>((resolve) => waiting.push(resolve))
  await context.route('https://js.stripe.com/dahlia/stripe.js', async (route) => {
    if (stripe.fault === 'blocked') return route.abort('blockedbyclient')
    if (stripe.fault === 'silent') await released()
    return route.fulfill({ contentType: 'text/javascript', body: script })
  })
  await context.route('https://js.stripe.com/fields.html', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: stripe.fault === 'no_fields' ? fields.replace("'#loaderror'", "''") : fields,
    }),
  )
  await context.route('https://api.stripe.com/v1/payment_methods', async (route) => {
    const body = new URLSearchParams(route.request().postData() ?? '')
    stripe.created.push(body)
    if (stripe.fault === 'slow') await released()
    const headers = { 'access-control-allow-origin': '*' }
    await route.fulfill({ headers, json: replyTo(body.get('card[number]') ?? '', stripe.paymentMethod) })
  })
  return stripe
}

function replyTo(number: string, paymentMethod: string): object {
  if (number === '4242424242424242') return { paymentMethod: { id: paymentMethod, object: 'payment_method' } }
  if (number === '4000000000000069') return { error: { type: 'card_error', message: 'Your card has expired.' } }
  return { error: { type: 'api_error', message: 'Internals of Stripe' } }
}
