import { html } from '@payments/chassis/base/html'
import { countOf } from './plural.ts'
import type { Texts } from './texts.ts'

/** Words that readers in Portugal and in Brazil share. */
export const pt = {
  tag: 'pt',
  direction: 'ltr',
  name: 'Português',
  isApproved: false,
  language: 'Idioma',
  titles: {
    active: 'Pagamento',
    processing: 'Pagamento em processamento',
    completed: 'Pagamento concluído',
    expired: 'Link expirado',
    canceled: 'Link cancelado',
    test: 'Link de teste',
    unknown: 'Link não encontrado',
    unavailable: 'Página indisponível',
  },
  payTitle: (amount, merchant) => `Pagar ${amount} a ${merchant}`,
  amountToPay: 'Valor a pagar',
  payBy: (time, zone) => html`Prazo de pagamento: ${time} ${zone}`,
  greeting: (payer, merchant) => html`Olá, ${payer}. ${merchant} solicita este pagamento.`,
  items: 'Itens',
  itemCount: countOf('pt', { one: 'item', many: 'de itens', other: 'itens' }),
  amount: 'Valor',
  purpose: 'Descrição',
  reference: 'Referência',
  referenceLine: (reference) => html`Referência: ${reference}`,
  questions: (address) => html`Tem dúvidas? ${address}`,
  processing: {
    heading: 'O seu pagamento está em processamento',
    text: (merchant) =>
      html`Esta página atualiza-se sozinha. Pode fechá-la: o pagamento continua e ${merchant} receberá o resultado.`,
    changed: 'O resultado do pagamento já está disponível. A página será carregada.',
    stopped:
      'O pagamento ainda está em processamento. Esta página já não se atualiza sozinha. Verifique novamente mais tarde.',
    checkAgain: 'Verificar novamente',
  },
  completed: { heading: 'Pagamento concluído', text: 'Obrigado. Pode fechar esta página.' },
  expired: {
    heading: 'Este link expirou',
    text: (merchant) => html`Já não é possível pagar com ele. Contacte ${merchant} para receber um novo link.`,
  },
  canceled: {
    heading: 'Este link foi cancelado',
    text: (merchant) => html`Já não é possível pagar com ele. Contacte ${merchant} se esperava pagar.`,
  },
  test: {
    heading: 'Este link é apenas para testes',
    text: (merchant) =>
      html`Um pagamento com este link não movimentaria dinheiro, por isso não é possível pagar com ele. Contacte ${merchant} para receber um novo link.`,
  },
  unknown: {
    heading: 'Este link não funciona',
    text: 'Verifique se abriu o link completo da mensagem. Em caso afirmativo, peça um novo link ao remetente.',
  },
  unavailable: {
    heading: 'Esta página está indisponível de momento',
    text: 'O seu link continua válido. Tente novamente dentro de alguns minutos.',
  },
  tryAgain: 'Tentar novamente',
  returnTo: (merchant) => html`Voltar a ${merchant}`,
  notices: {
    failed: {
      title: 'Pagamento não iniciado',
      text: 'Não foi possível iniciar o pagamento. Nada foi cobrado. Tente novamente.',
    },
    stale: { title: 'Tente novamente', text: 'Esta página já não estava atualizada, por isso nada foi enviado.' },
    overloaded: {
      title: 'Tente novamente dentro de alguns segundos',
      text: 'Há muitos pagamentos em processamento, por isso o seu não foi iniciado. Nada foi cobrado.',
    },
    busy: { title: 'Aguarde', text: 'Outro pagamento com este link está em processamento.' },
    unknown_token: {
      title: 'Tente novamente',
      text: 'Os dados do cartão não foram reconhecidos. Nada foi cobrado.',
    },
    too_many: { title: 'Demasiadas tentativas', text: 'Aguarde um minuto e tente novamente.' },
  },
  declined: 'Pagamento recusado',
  notCharged: 'Nada foi cobrado.',
  declines: {
    insufficient_funds: 'O saldo da conta é insuficiente para este pagamento. Utilize outro cartão ou outra conta.',
    amount_limit_exceeded: 'O valor ultrapassa um limite do cartão. Utilize outro cartão ou contacte o seu banco.',
    expired_card: 'O cartão expirou. Utilize outro cartão.',
    incorrect_cvc: 'O código de segurança não está correto. Verifique os dados do cartão e tente novamente.',
    incorrect_number: 'O número do cartão não está correto. Verifique os dados do cartão e tente novamente.',
    token_invalid: 'Não foi possível utilizar os dados do cartão. Introduza-os novamente.',
    authentication_required:
      'O seu banco precisa de confirmar a sua identidade. Tente novamente e confirme o pagamento no seu banco.',
    issuer_unavailable: 'O seu banco não responde de momento. Tente novamente dentro de alguns minutos.',
    processing_error: 'Ocorreu um erro no prestador de pagamentos. Tente novamente dentro de alguns minutos.',
    transaction_not_permitted: 'O cartão não pode ser utilizado para este pagamento. Utilize outro cartão.',
    currency_not_supported: 'O cartão não pode ser utilizado nesta moeda. Utilize outro cartão.',
    other: 'O seu banco não aprovou o pagamento. Utilize outro cartão ou contacte o seu banco.',
  },
  card: {
    heading: 'Dados do cartão',
    scriptNeeded: 'Para introduzir o cartão é necessário JavaScript. Ative-o para esta página e carregue-a novamente.',
    sending: 'A enviar o seu pagamento…',
    unavailable: 'A introdução do cartão está indisponível de momento.',
    pageOf: (host) => html`O formulário do cartão é uma página de ${host}.`,
    trusted: (merchant) =>
      html`Os dados do seu cartão seguem para o prestador de pagamentos por uma ligação encriptada. ${merchant} não os vê.`,
  },
  sandbox: {
    heading: 'Pagamento de teste',
    note: 'Isto é um teste. Não há movimento de dinheiro.',
    pay: (amount) => `Pagar ${amount} com um cartão de teste`,
    others: 'Outros cartões de teste',
    groups: { approved: 'Aprovados', declined: 'Recusados', uncertain: 'Lentos ou incertos' },
    methods: {
      mastercard: 'Mastercard, aprovado',
      amex: 'Cartão American Express, aprovado',
      ach: 'Conta bancária, aprovada',
      declined: 'Cartão, recusado',
      insufficient_funds: 'Cartão, recusado: saldo insuficiente',
      expired_card: 'Cartão, recusado: expirado',
      incorrect_cvc: 'Cartão, recusado: código de segurança incorreto',
      do_not_honor: 'Cartão, recusado: não aceite pelo banco',
      lost_or_stolen: 'Cartão, recusado: perdido ou roubado',
      suspected_fraud: 'Cartão, recusado: suspeita de fraude',
      issuer_unavailable: 'Cartão, recusado: banco indisponível',
      processing_error: 'Cartão, recusado: erro de processamento',
      slow_5000: 'Cartão, aprovado após 5 segundos',
      pending: 'Cartão, pendente e depois aprovado',
      timeout_applied: 'Cartão, aprovado, e a resposta perde-se',
      timeout_not_applied: 'Cartão, não cobrado, e a resposta perde-se',
      unknown_forever: 'Cartão cujo resultado permanece desconhecido',
      unreachable: 'Cartão cujo prestador não está acessível',
    },
  },
} satisfies Texts
