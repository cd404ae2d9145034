import { html } from '@payments/chassis/base/html'
import { createCountFormat } from './plural.ts'
import type { Texts } from './texts.ts'

export const ja = {
  tag: 'ja',
  name: '日本語',
  direction: 'ltr',
  approvedBy: null,
  payPage: {
    language: '言語',
    titles: {
      active: 'お支払い',
      confirming: 'お支払いの確認',
      processing: 'お支払いの処理中',
      completed: 'お支払い完了',
      expired: 'リンクの有効期限切れ',
      canceled: 'リンクの取り消し',
      test: 'テスト用リンク',
      unknown: 'リンクが見つかりません',
      unavailable: 'ページを表示できません',
    },
    payTitle: (amount, merchant) => `${merchant}へ${amount}のお支払い`,
    amountToPay: 'お支払い金額',
    payBy: (time, zone) => html`お支払い期限：${time} ${zone}`,
    greeting: (payer, merchant) => html`${payer} 様、${merchant} がこのお支払いをお願いしています。`,
    items: '明細',
    itemCount: createCountFormat('ja', { other: '点' }, ''),
    amount: '金額',
    purpose: '内容',
    reference: '参照番号',
    referenceLine: (reference) => html`参照番号：${reference}`,
    questions: (address) => html`お問い合わせ先：${address}`,
    confirming: {
      heading: 'ご利用の銀行でお支払いを確認してください',
      text: (merchant) => html`銀行が ${merchant} へのお支払いの確認を求めています。確認後、このページに戻ります。`,
      until: (time) => html`${time} までに確認してください。それを過ぎると、お支払いは取り消されます。`,
      stopped: 'このページの自動更新は終了しました。',
      continue: '銀行のページへ進む',
      another: '別の方法で支払う',
    },
    processing: {
      heading: 'お支払いを処理しています',
      text: (merchant) =>
        html`このページは自動的に更新されます。閉じてもお支払いの処理は続き、結果は ${merchant} に通知されます。`,
      changed: 'お支払いの状況が変わりました。ページを読み込んでいます。',
      stopped: 'お支払いはまだ処理中です。このページの自動更新は終了しました。後ほどもう一度ご確認ください。',
      checkAgain: 'もう一度確認する',
    },
    completed: { heading: 'お支払いが完了しました', text: 'ありがとうございました。このページは閉じていただけます。' },
    expired: {
      heading: 'このリンクの有効期限が切れています',
      text: (merchant) =>
        html`このリンクではお支払いいただけません。新しいリンクについては ${merchant} にお問い合わせください。`,
    },
    canceled: {
      heading: 'このリンクは取り消されました',
      text: (merchant) =>
        html`このリンクではお支払いいただけません。お支払いの予定があった場合は ${merchant} にお問い合わせください。`,
    },
    test: {
      heading: 'このリンクはテスト用です',
      text: (merchant) =>
        html`このリンクでは実際の代金が移動しないため、お支払いいただけません。新しいリンクについては ${merchant} にお問い合わせください。`,
    },
    unknown: {
      heading: 'このリンクは使用できません',
      text: 'メッセージに記載されたリンク全体を開いているかご確認ください。それでも開けない場合は、送信者に新しいリンクをご依頼ください。',
    },
    unavailable: {
      heading: 'このページは現在表示できません',
      text: 'リンクは引き続き有効です。数分後にもう一度お試しください。',
    },
    tryAgain: 'もう一度試す',
    returnTo: (merchant) => html`${merchant} に戻る`,
    notices: {
      failed: {
        title: 'お支払いは開始されませんでした',
        text: 'お支払いを開始できませんでした。代金は請求されていません。もう一度お試しください。',
      },
      stale: {
        title: 'もう一度お試しください',
        text: 'このページの情報が古くなっていたため、何も送信されませんでした。',
      },
      overloaded: {
        title: '数秒後にもう一度お試しください',
        text: '現在多数のお支払いを処理しているため、お客様のお支払いは開始されませんでした。代金は請求されていません。',
      },
      not_canceled: {
        title: 'お支払いは取り消されませんでした',
        text: 'お支払いは取り消されませんでした。数秒後にもう一度お試しください。',
      },
      busy: { title: 'お待ちください', text: 'このリンクによる別のお支払いを処理しています。' },
      unknown_token: {
        title: 'もう一度お試しください',
        text: 'カード情報を認識できませんでした。代金は請求されていません。',
      },
      too_many: { title: '試行回数が多すぎます', text: '1分ほど待ってから、もう一度お試しください。' },
    },
    declined: 'お支払いが承認されませんでした',
    notCharged: '代金は請求されていません。',
    declines: {
      insufficient_funds: '口座の残高が不足しています。別のカードまたは口座をご利用ください。',
      amount_limit_exceeded:
        '金額がカードの限度額を超えています。別のカードをご利用いただくか、カード発行会社にお問い合わせください。',
      expired_card: 'カードの有効期限が切れています。別のカードをご利用ください。',
      incorrect_cvc: 'セキュリティコードが正しくありません。カード情報を確認し、もう一度お試しください。',
      incorrect_number: 'カード番号が正しくありません。カード情報を確認し、もう一度お試しください。',
      token_invalid: 'カード情報を使用できませんでした。カード情報をもう一度入力してください。',
      authentication_required: '銀行が求める確認は、ここでは行えません。別のカードをご利用ください。',
      authentication_failed:
        '銀行でお支払いが確認されませんでした。もう一度お試しいただくか、別のカードをご利用ください。',
      authentication_expired: '時間内にお支払いが確認されませんでした。もう一度お試しください。',
      authentication_canceled: 'お支払いは確認の前に取り消されました。',
      issuer_unavailable: 'カード発行会社が現在応答していません。数分後にもう一度お試しください。',
      processing_error: '決済代行会社でエラーが発生しました。数分後にもう一度お試しください。',
      transaction_not_permitted: 'このカードはこのお支払いにご利用いただけません。別のカードをご利用ください。',
      currency_not_supported: 'このカードはこの通貨ではご利用いただけません。別のカードをご利用ください。',
      other:
        'カード発行会社がお支払いを承認しませんでした。別のカードをご利用いただくか、カード発行会社にお問い合わせください。',
    },
    card: {
      heading: 'カード情報',
      scriptNeeded: 'カード情報の入力には JavaScript が必要です。このページで有効にしてから、再読み込みしてください。',
      sending: 'お支払いを送信しています…',
      unavailable: '現在カード情報を入力できません。',
      untrusted: (host) => html`カード入力フォームは ${host} のページです。`,
      trusted: (merchant) =>
        html`カード情報は暗号化された接続で決済代行会社に送信されます。${merchant} がカード情報を見ることはありません。`,
    },
    sandbox: {
      heading: 'テスト決済',
      note: 'これはテストです。実際の代金は移動しません。',
      pay: (amount) => `テストカードで${amount}を支払う`,
      others: 'その他のテストカード',
      groups: { approved: '承認', confirmed: '銀行での確認', declined: '拒否', uncertain: '遅延または結果不明' },
      methods: {
        mastercard: 'Mastercard（承認）',
        amex: 'American Express カード（承認）',
        ach: '銀行口座（承認）',
        challenge: '銀行での確認が必要なカード',
        challenge_slow_10: '確認の10秒後に承認されるカード',
        challenge_declined: '確認後に銀行が拒否するカード',
        challenge_abandoned: '銀行が応答しないカード',
        declined: 'カード（拒否）',
        insufficient_funds: 'カード（拒否：残高不足）',
        expired_card: 'カード（拒否：有効期限切れ）',
        incorrect_cvc: 'カード（拒否：セキュリティコードの誤り）',
        do_not_honor: 'カード（拒否：発行会社が不承認）',
        lost_or_stolen: 'カード（拒否：紛失または盗難）',
        suspected_fraud: 'カード（拒否：不正利用の疑い）',
        issuer_unavailable: 'カード（拒否：発行会社が応答なし）',
        processing_error: 'カード（拒否：処理エラー）',
        slow_5000: 'カード（5秒後に承認）',
        pending: 'カード（保留後に承認）',
        timeout_applied: 'カード（承認後、応答が失われる）',
        timeout_not_applied: 'カード（請求されず、応答が失われる）',
        unknown_forever: 'カード（結果が不明のまま）',
        unreachable: 'カード（決済代行会社に接続できない）',
      },
    },
  },
  cardPage: {
    title: 'カード情報',
    loading: 'カードの入力欄を読み込んでいます…',
    pay: (amount) => `${amount}を支払う`,
    working: 'お待ちください…',
    failed: 'カード情報を確認できませんでした。代金は請求されていません。もう一度お試しください。',
    notLoaded: {
      heading: 'カードの入力欄を読み込めませんでした',
      text: '接続と、このページのスクリプトがブロックされていないことをご確認ください。',
    },
    tryAgain: 'もう一度試す',
    notHere: { heading: 'ここではお支払いいただけません', text: 'メッセージのリンクをもう一度開いてください。' },
  },
  problemPage: {
    unreadable: ['リクエストを読み取れません', '受け取ったリンクをそのままもう一度開いてください。'],
    missing: ['このページは存在しません', 'リンクがすべて含まれているかご確認ください。'],
    late: ['リクエストを時間内に受信できませんでした', 'リンクをもう一度開くと、お支払いの状況が表示されます。'],
    limited: ['リクエストが多すぎます', '数分後にリンクをもう一度開いてください。'],
    unavailable: ['ページを表示できません', '1分後にリンクをもう一度開くと、お支払いの状況が表示されます。'],
    support: 'お問い合わせの際は、この番号をお知らせください：',
  },
  messages: {
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
  },
} satisfies Texts
