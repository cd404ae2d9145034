import type { Texts } from './texts.ts'

export const ja = {
  approvedBy: null,
  direction: 'ltr',
  greeting: { named: '{{payer_name}} 様', unnamed: 'お客様' },
  invitation: {
    subject: '{{short_name}} より {{amount}} のお支払いのお願い',
    request: '{{business_unit_name}} より、{{amount}} のお支払いをお願いしております。',
    sms: '{{business_unit_name}} より {{amount}} のお支払いのお願いです。{{payment_url}}',
  },
  reminder: {
    subject: '【再送】{{short_name}} より {{amount}} のお支払いのお願い',
    request:
      '{{business_unit_name}} への {{amount}} のお支払いがまだ確認できておりませんので、改めてご案内いたします。',
    sms: '{{business_unit_name}} への {{amount}} のお支払いについて、改めてご案内いたします。{{payment_url}}',
  },
  receipt: {
    subject: '{{short_name}} への {{amount}} のお支払いの領収のお知らせ',
    thanks: 'ありがとうございます。{{business_unit_name}} は {{amount}} のお支払いを確かに受領いたしました。',
    sms: '{{business_unit_name}} は {{amount}} のお支払いを受領いたしました。ありがとうございます。',
  },
  authorization: {
    subject: '{{short_name}} への {{amount}} のお支払いの承認のお知らせ',
    thanks:
      'ありがとうございます。{{business_unit_name}} への {{amount}} のお支払いが承認されました。金額は確保されており、まだ請求されていません。',
    sms: '{{business_unit_name}} への {{amount}} のお支払いが承認されました。金額は確保されており、まだ請求されていません。',
  },
  payBy: '{{expires_on}}までにお支払いください。',
  pay: { button: '{{amount}} を支払う', line: '{{amount}} を支払う: {{payment_url}}' },
  fact: '{{label}}: {{value}}',
  labels: { purpose: '内容', amount: '金額', date: '日時', paidWith: 'お支払い方法', reference: '参照番号' },
  paidWith: { brandAndDigits: '{{brand}}(末尾 {{last4}})', digits: '末尾 {{last4}} の番号' },
  item: '{{name}} × {{quantity}}',
  moreItems: { other: 'ほか {{count}} 点' },
  support: 'ご不明な点は {{support_email}} までお問い合わせください。',
  userInvitation: {
    subject: '{{short_name}} へのご招待',
    invited: '{{tenant_name}} のユーザーとしてご招待いたします。',
    invitedBy:
      '{{inviter}} 様より、{{tenant_name}} のユーザーとしてご招待いたします。お支払いは Payment Service で管理されています。',
    roles: 'ロール: {{role_names}}',
    expiry:
      'リンクは一度だけ、{{expires_on}}までご利用いただけます。承諾するには、このメールアドレスでサインインしてください。',
    button: '招待を承諾する',
    line: '招待を承諾する: {{url}}',
    ignore: 'このメールにお心当たりがない場合は、破棄してください。何も変更されません。',
  },
} satisfies Texts
