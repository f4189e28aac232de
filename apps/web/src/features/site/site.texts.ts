export const siteTexts = {
  home: '返回首页',
  back: '返回上一页',
  updated: (day: string) => `更新日期：${day}`,
  notFound: {
    title: '404',
    words: '页面不存在，或当前账号没有访问权限。',
    /** The specification's words. */
    english: 'The webmaster said that you can not enter this page...',
  },
  downloadPage: {
    title: '下载 Voltkeep 移动应用',
    hint: '在柜前用手机查看告警、核对版本、远程处理。',
    android: '下载应用',
    reading: '正在获取下载地址…',
    missing: '下载地址不存在',
    missingHint: '管理员还没有配置应用下载地址，请稍后再试。',
    wechat: '如果在微信中打开，请点右上角选择“在浏览器打开”。',
  },
  upgradation: {
    title: '系统升级中',
    hint: '系统正在升级，期间设备照常运行，数据不会丢失。升级完成后请刷新页面。',
    refresh: '刷新',
  },
  picture: { title: '换电柜示意图', hint: '十二仓换电柜：逐仓显示电量，故障仓以三角标记。' },
}
