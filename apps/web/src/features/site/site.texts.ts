import type { RemarkLanguage } from '@voltkeep/contract/firmware'
import { remarkLanguageFor } from '@voltkeep/contract/site'
import { texts } from '../../lib/texts/index.ts'

/** The languages of release notes; documents are in Chinese and English only. */
export type SiteLanguage = RemarkLanguage

export const languageOfVisitor = (): SiteLanguage => remarkLanguageFor(navigator.languages)

export const footTexts: Record<
  SiteLanguage,
  { agreement: string; privacy: string; releases: string; download: string }
> = {
  zh: { ...texts.site, releases: '版本更新' },
  en: { agreement: 'User agreement', privacy: 'Privacy', releases: "What's new", download: 'App' },
  de: { agreement: 'Nutzungsvereinbarung', privacy: 'Datenschutz', releases: 'Neuerungen', download: 'App' },
  fr: {
    agreement: 'Conditions d’utilisation',
    privacy: 'Confidentialité',
    releases: 'Nouveautés',
    download: 'Application',
  },
}

export const documentTexts = {
  zh: {
    language: '中文',
    since: (day: string) => `生效日期：${day}`,
    sincePublished: '自公布之日起生效',
  },
  en: {
    language: 'English',
    since: (day: string) => `In force since ${day}`,
    sincePublished: 'In force from its publication',
  },
}

export const siteTexts = {
  home: '返回首页',
  back: '返回上一页',
  retry: '重试',
  notFound: {
    title: '404',
    words: '页面不存在，或当前账号没有访问权限。',
    /** Required literally by the specification. */
    english: 'The webmaster said that you can not enter this page...',
    asked: '访问的地址',
  },
  downloadPage: {
    title: '下载 Voltkeep 移动应用',
    hint: '在柜前用手机查看告警、核对版本、远程处理。',
    android: '下载应用',
    reading: '正在获取下载地址…',
    missing: '下载地址不存在',
    missingHint: '管理员还没有配置应用下载地址。',
    consoleCode: '控制台地址二维码',
    console: '用手机扫码，在浏览器中打开控制台',
    open: '打开控制台',
    code: '应用下载地址二维码',
    scan: '或用手机扫码下载',
    wechat: '如果在微信中打开，请点右上角选择“在浏览器打开”。',
  },
  picture: {
    title: '分享的图片',
    reading: '正在读取…',
    until: (time: string) => `链接有效期至 ${time}`,
    none: '没有要显示的图片',
    noneHint: '链接不完整：请复制分享人发来的整条链接，再打开一次；仍打不开时，请分享人重新分享。',
    refusedHint: '请联系分享人重新分享。',
    broken: '图片加载失败',
    brokenHint: '请检查网络后重试。',
  },
}
