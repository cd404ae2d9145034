import { html } from '@payments/chassis/base/html'
import { countOf } from './plural.ts'
import type { Texts } from './texts.ts'

export const es = {
  tag: 'es',
  direction: 'ltr',
  name: 'Español',
  isApproved: false,
  language: 'Idioma',
  titles: {
    active: 'Pago',
    processing: 'Pago en curso',
    completed: 'Pago completado',
    expired: 'Enlace caducado',
    canceled: 'Enlace anulado',
    test: 'Enlace de prueba',
    unknown: 'Enlace no encontrado',
    unavailable: 'Página no disponible',
  },
  payTitle: (amount, merchant) => `Pagar ${amount} a ${merchant}`,
  amountToPay: 'Importe a pagar',
  payBy: (time, zone) => html`Fecha límite de pago: ${time} ${zone}`,
  greeting: (payer, merchant) => html`Hola, ${payer}: ${merchant} le solicita este pago.`,
  items: 'Artículos',
  itemCount: countOf('es', { one: 'artículo', many: 'de artículos', other: 'artículos' }),
  amount: 'Importe',
  purpose: 'Concepto',
  reference: 'Referencia',
  referenceLine: (reference) => html`Referencia: ${reference}`,
  questions: (address) => html`¿Tiene preguntas? ${address}`,
  processing: {
    heading: 'Su pago está en curso',
    text: (merchant) =>
      html`Esta página se actualiza sola. Puede cerrarla: el pago continúa y ${merchant} recibirá el resultado.`,
    changed: 'El pago ya tiene un resultado. La página se está cargando.',
    stopped: 'El pago sigue en curso. Esta página ya no se actualiza sola. Vuelva a comprobarlo más tarde.',
    checkAgain: 'Volver a comprobar',
  },
  completed: { heading: 'Pago completado', text: 'Gracias. Puede cerrar esta página.' },
  expired: {
    heading: 'Este enlace ha caducado',
    text: (merchant) =>
      html`Ya no se puede pagar con él. Póngase en contacto con ${merchant} para obtener un enlace nuevo.`,
  },
  canceled: {
    heading: 'Este enlace se ha anulado',
    text: (merchant) => html`Ya no se puede pagar con él. Póngase en contacto con ${merchant} si esperaba pagar.`,
  },
  test: {
    heading: 'Este enlace es de prueba',
    text: (merchant) =>
      html`Un pago con él no movería dinero, por lo que no se puede pagar con él. Póngase en contacto con ${merchant} para obtener un enlace nuevo.`,
  },
  unknown: {
    heading: 'Este enlace no funciona',
    text: 'Compruebe que ha abierto el enlace completo del mensaje. Si es así, pida un enlace nuevo al remitente.',
  },
  unavailable: {
    heading: 'Esta página no está disponible en este momento',
    text: 'Su enlace sigue siendo válido. Inténtelo de nuevo dentro de unos minutos.',
  },
  tryAgain: 'Intentar de nuevo',
  returnTo: (merchant) => html`Volver a ${merchant}`,
  notices: {
    failed: {
      title: 'Pago no iniciado',
      text: 'No se ha podido iniciar el pago. No se le ha cobrado nada. Inténtelo de nuevo.',
    },
    stale: {
      title: 'Inténtelo de nuevo',
      text: 'Esta página ya no estaba actualizada, por lo que no se ha enviado nada.',
    },
    overloaded: {
      title: 'Inténtelo de nuevo dentro de unos segundos',
      text: 'Hay muchos pagos en curso en este momento, por lo que el suyo no se ha iniciado. No se le ha cobrado nada.',
    },
    busy: { title: 'Espere, por favor', text: 'Hay otro pago en curso con este enlace.' },
    unknown_token: {
      title: 'Inténtelo de nuevo',
      text: 'No se han reconocido los datos de la tarjeta. No se le ha cobrado nada.',
    },
    too_many: { title: 'Demasiados intentos', text: 'Espere un minuto e inténtelo de nuevo.' },
  },
  declined: 'Pago rechazado',
  notCharged: 'No se le ha cobrado nada.',
  declines: {
    insufficient_funds: 'La cuenta no tiene saldo suficiente para este pago. Utilice otra tarjeta u otra cuenta.',
    amount_limit_exceeded:
      'El importe supera un límite de la tarjeta. Utilice otra tarjeta o póngase en contacto con su banco.',
    expired_card: 'La tarjeta ha caducado. Utilice otra tarjeta.',
    incorrect_cvc: 'El código de seguridad no es correcto. Compruebe los datos de la tarjeta e inténtelo de nuevo.',
    incorrect_number: 'El número de tarjeta no es correcto. Compruebe los datos de la tarjeta e inténtelo de nuevo.',
    token_invalid: 'No se han podido utilizar los datos de la tarjeta. Introdúzcalos de nuevo.',
    authentication_required:
      'Su banco necesita comprobar su identidad. Inténtelo de nuevo y confirme el pago en su banco.',
    issuer_unavailable: 'Su banco no responde en este momento. Inténtelo de nuevo dentro de unos minutos.',
    processing_error: 'Se ha producido un error en el proveedor de pagos. Inténtelo de nuevo dentro de unos minutos.',
    transaction_not_permitted: 'La tarjeta no se puede utilizar para este pago. Utilice otra tarjeta.',
    currency_not_supported: 'La tarjeta no se puede utilizar en esta moneda. Utilice otra tarjeta.',
    other: 'Su banco no ha aprobado el pago. Utilice otra tarjeta o póngase en contacto con su banco.',
  },
  card: {
    heading: 'Datos de la tarjeta',
    scriptNeeded: 'Para introducir la tarjeta se necesita JavaScript. Actívelo para esta página y vuelva a cargarla.',
    sending: 'Enviando su pago…',
    unavailable: 'La introducción de la tarjeta no está disponible en este momento.',
    pageOf: (host) => html`El formulario de la tarjeta es una página de ${host}.`,
    trusted: (merchant) =>
      html`Los datos de su tarjeta se envían al proveedor de pagos por una conexión cifrada. ${merchant} no los ve.`,
  },
  sandbox: {
    heading: 'Pago de prueba',
    note: 'Esto es una prueba. No se mueve dinero.',
    pay: (amount) => `Pagar ${amount} con una tarjeta de prueba`,
    others: 'Otras tarjetas de prueba',
    groups: { approved: 'Aprobados', declined: 'Rechazados', uncertain: 'Lentos o inciertos' },
    methods: {
      mastercard: 'Mastercard, aprobada',
      amex: 'Tarjeta American Express, aprobada',
      ach: 'Cuenta bancaria, aprobada',
      declined: 'Tarjeta, rechazada',
      insufficient_funds: 'Tarjeta, rechazada: saldo insuficiente',
      expired_card: 'Tarjeta, rechazada: caducada',
      incorrect_cvc: 'Tarjeta, rechazada: código de seguridad incorrecto',
      do_not_honor: 'Tarjeta, rechazada: no aceptada por el banco',
      lost_or_stolen: 'Tarjeta, rechazada: perdida o robada',
      suspected_fraud: 'Tarjeta, rechazada: sospecha de fraude',
      issuer_unavailable: 'Tarjeta, rechazada: banco no disponible',
      processing_error: 'Tarjeta, rechazada: error de procesamiento',
      slow_5000: 'Tarjeta, aprobada al cabo de 5 segundos',
      pending: 'Tarjeta, pendiente y después aprobada',
      timeout_applied: 'Tarjeta, aprobada, y la respuesta se pierde',
      timeout_not_applied: 'Tarjeta, sin cobro, y la respuesta se pierde',
      unknown_forever: 'Tarjeta cuyo resultado sigue sin conocerse',
      unreachable: 'Tarjeta cuyo proveedor de pagos no responde',
    },
  },
} satisfies Texts
