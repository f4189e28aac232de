// The user agreement, in the name of the company that runs the installation.
import type { Company } from '@voltkeep/contract/site'
import type { SiteDocument } from './documents.ts'

export const agreementZh = ({ name, address }: Company): SiteDocument => ({
  title: '用户协议',
  intro: `本协议由您与${name ?? '部署本平台的单位'}（以下简称“运营方”）订立，约定您使用 Voltkeep 运维平台及其移动应用（以下简称“本平台”）时双方的权利与义务。登录或使用本平台即表示您已阅读并同意本协议。`,
  sections: [
    {
      title: '一、服务内容',
      text: [
        '本平台为换电柜、充电柜及储能设备的运营和管理单位提供设备监控、告警处理、参数设置、软件升级与日志提取等运维服务。',
        '具体可用的功能和可见的设备范围，由您所在组织的管理员分配。',
      ],
    },
    {
      title: '二、账号与安全',
      text: [
        '账号由所在组织的管理员创建，仅限本人使用。请妥善保管密码，首次登录后应立即修改。',
        '发现账号被他人使用时，请立即修改密码并通知管理员。以您的账号进行的操作会被记录，并视为您本人的操作。',
      ],
    },
    {
      title: '三、使用规范',
      text: [
        '下发参数、升级软件等操作会影响实际运行的设备，请在确认设备状态和影响范围之后执行。',
        '不得利用本平台实施危害设备、网络或他人人身财产安全的行为，不得绕过权限控制或对系统进行未经许可的测试。',
      ],
    },
    {
      title: '四、服务变更与中断',
      text: [
        '系统维护、网络故障或不可抗力可能造成服务中断。计划内的维护会提前通知，期间设备按既有策略独立运行。',
      ],
    },
    {
      title: '五、责任范围',
      text: [
        '本平台展示的数据由设备上报，可能因网络或设备原因延迟。涉及人身安全的处置，应以现场情况为准。',
        '在法律允许的范围内，因违反本协议造成的损失由行为人承担。',
      ],
    },
    {
      title: '六、协议更新',
      text: ['本协议更新后会在本页公布。继续使用本平台，视为接受更新后的协议。'],
    },
    { title: '七、联系方式', text: [contactZh(name, address)] },
  ],
})

export const agreementEn = ({ nameEn, addressEn }: Company): SiteDocument => ({
  title: 'User Agreement',
  intro: `This agreement is made between you and ${nameEn ?? 'the organization that runs this installation'} ("the provider"). It governs your use of the Voltkeep operations platform and its mobile application ("the platform"). By signing in or using the platform you confirm that you have read and accepted it.`,
  sections: [
    {
      title: '1. The service',
      text: [
        'The platform provides operators and administrators of battery-swap cabinets, charging cabinets and energy-storage devices with monitoring, alarm handling, parameter settings, software upgrades and log extraction.',
        'Which functions you may use and which devices you may see is decided by the administrator of your organization.',
      ],
    },
    {
      title: '2. Accounts and security',
      text: [
        'Accounts are created by the administrator of your organization and are personal. Keep your password safe and change it after your first sign-in.',
        'If you find that someone else uses your account, change the password at once and tell your administrator. Operations are recorded and attributed to the account that made them.',
      ],
    },
    {
      title: '3. Proper use',
      text: [
        'Sending parameters or upgrading software affects devices in operation. Confirm their state and the extent of the action first.',
        'Do not use the platform to endanger devices, networks, persons or property, to circumvent permissions, or to test the system without authorization.',
      ],
    },
    {
      title: '4. Changes and interruptions',
      text: [
        'Maintenance, network failures or force majeure may interrupt the service. Planned maintenance is announced; devices continue to work on their own meanwhile.',
      ],
    },
    {
      title: '5. Liability',
      text: [
        'Data shown on the platform are reported by devices and may be delayed. Where personal safety is concerned, the situation on site is decisive.',
        'To the extent permitted by law, losses caused by a breach of this agreement are borne by the party in breach.',
      ],
    },
    {
      title: '6. Updates',
      text: ['Updates are published on this page. Continued use means acceptance of the updated agreement.'],
    },
    { title: '7. Contact', text: [contactEn(nameEn, addressEn)] },
  ],
})

/** Without a configured company, users are referred to their own administrator. */
export function contactZh(name: string | null, address: string | null): string {
  if (name === null) return '如有疑问，请联系您所在组织的管理员，由其转达运营方。'
  return `${name}${address === null ? '' : `，${address}`}。账号方面的问题，请先联系您所在组织的管理员。`
}

export function contactEn(name: string | null, address: string | null): string {
  if (name === null) {
    return 'Please ask the administrator of your organization, who will pass your question on to the provider.'
  }
  return `${name}${address === null ? '' : `, ${address}`}. For questions about your account, ask the administrator of your organization first.`
}
