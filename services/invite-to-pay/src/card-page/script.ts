/**
 * **What it does.** Loads Stripe.js, shows the fields of Stripe, and posts the id of the PaymentMethod that Stripe
 * creates to the pay page, once. It is the same text for every payer: the settings are in `data-settings` of the body.
 *
 * **Guarantees.**
 * - Card data is in frames of Stripe, and in no element, message or request of this page.
 * - A message goes to the origin of the pay page only. Outside of a frame, it loads nothing and shows a text.
 * - A script, fields or a reply that do not arrive in time end in a text with a way to try again.
 *
 * **Not guaranteed.** That a PaymentMethod is used: a closed tab leaves one that no payment has.
 */
export const cardPageScript = `(() => {
  const { script, publishableKey, payOrigin, amount, currency, locale, colors, texts } = JSON.parse(document.body.dataset.settings)
  const [form, button, loading, failed, notHere, problem] = ['card', 'pay', 'loading', 'failed', 'not-here', 'problem'].map((id) => document.getElementById(id))
  const label = button.textContent
  const post = (message) => parent.postMessage(message, payOrigin)
  const show = (element, isShown) => { element.hidden = !isShown }
  const showOnly = (element) => {
    clearTimeout(timer)
    for (const one of [loading, form, failed, notHere]) show(one, one === element)
  }
  const fail = () => showOnly(failed)
  const timer = setTimeout(fail, 20000)
  document.getElementById('again').addEventListener('click', () => location.reload())
  if (parent === self) return showOnly(notHere)
  new ResizeObserver(() => post({ type: 'card_page_height', height: document.body.offsetHeight })).observe(document.body)

  const start = () => {
    const stripe = self.Stripe(publishableKey, { locale })
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const appearance = () => ({ theme: dark.matches ? 'night' : 'stripe', variables: dark.matches ? colors.dark : colors.light })
    const elements = stripe.elements({
      mode: 'payment', amount, currency, captureMethod: 'manual', paymentMethodCreation: 'manual',
      paymentMethodTypes: ['card'], locale, appearance: appearance(),
    })
    dark.addEventListener('change', () => elements.update({ appearance: appearance() }))
    const fields = elements.create('payment', {
      layout: 'tabs', terms: { card: 'never' }, wallets: { applePay: 'never', googlePay: 'never', link: 'never' },
    })
    fields.on('ready', () => {
      clearTimeout(timer)
      show(loading, false)
      show(failed, false)
      show(form, true)
      button.disabled = false
    })
    fields.on('loaderror', fail)
    fields.on('change', () => { problem.textContent = '' })
    fields.mount('#fields')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      if (!button.disabled) submit(stripe, elements)
    })
  }

  const work = (isWorking) => {
    button.disabled = isWorking
    button.textContent = isWorking ? texts.working : label
  }
  const isForPayer = (error) => error?.type === 'card_error' || error?.type === 'validation_error'
  const createPaymentMethod = async (stripe, elements) => {
    const checked = await elements.submit()
    return checked.error ? checked : stripe.createPaymentMethod({ elements })
  }
  const submit = async (stripe, elements) => {
    work(true)
    problem.textContent = ''
    let deadline
    try {
      const late = new Promise((_, reject) => { deadline = setTimeout(reject, 60000) })
      const { error, paymentMethod } = await Promise.race([createPaymentMethod(stripe, elements), late])
      if (!error) return post({ type: 'payment_token', token: paymentMethod.id, payment_method: 'CREDIT_CARD' })
      problem.textContent = isForPayer(error) ? error.message : texts.failed
    } catch {
      problem.textContent = texts.failed
    } finally {
      clearTimeout(deadline)
    }
    work(false)
  }

  const loader = document.createElement('script')
  loader.src = script
  loader.async = true
  loader.addEventListener('error', fail)
  loader.addEventListener('load', () => {
    try { start() } catch { fail() }
  })
  document.head.append(loader)
})()`
