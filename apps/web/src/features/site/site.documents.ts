/** A document of the public pages: apart from the catalogue, as only its reader loads it. */
export interface Document {
  title: string
  updated: string
  intro: string
  sections: readonly { title: string; text: readonly string[] }[]
}

const updatedZh = '更新日期：2026-11-01'
const updatedEn = 'Updated: 2026-11-01'

export const agreementZh: Document = {
  title: '用户协议',
  updated: updatedZh,
  intro:
    '本协议约定您使用 Voltkeep 运维平台及其移动应用（以下简称“本平台”）时双方的权利与义务。登录或使用本平台即表示您已阅读并同意本协议。',
  sections: [
    {
      title: '一、服务内容',
      text: [
        '本平台为换电柜、充电柜及储能设备的运营方和管理方提供设备监控、告警处理、参数设置、软件升级与日志提取等运维服务。',
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
  ],
}

export const agreementEn: Document = {
  title: 'User Agreement',
  updated: updatedEn,
  intro:
    'This agreement governs your use of the Voltkeep operations platform and its mobile application ("the platform"). By signing in or using the platform you confirm that you have read and accepted it.',
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
  ],
}

export const privacyZh: Document = {
  title: '隐私政策',
  updated: updatedZh,
  intro: '本政策说明 Voltkeep 运维平台及其移动应用收集哪些信息、如何使用和保护这些信息，以及您享有的权利。',
  sections: [
    {
      title: '一、收集的信息',
      text: [
        '账号信息：姓名、登录名、手机号、所属组织与角色，由所在组织的管理员录入。',
        '使用记录：登录时间、网络地址，以及对设备和数据执行的操作，用于安全审计。',
        '设备数据：柜体、电池与储能设备上报的状态、告警、事件和版本。这些数据不用于识别终端用户。',
      ],
    },
    {
      title: '二、使用目的',
      text: ['上述信息只用于身份验证、权限控制、运维处理、安全审计和故障排查，不用于广告或用户画像。'],
    },
    {
      title: '三、存储与保护',
      text: [
        '信息存储在运营方部署的服务器中。密码只保存不可还原的摘要，登录凭证在服务器中同样以摘要保存并会过期。',
        '浏览器中只保存登录凭证、菜单展开状态和外观设置，不使用第三方跟踪技术。',
      ],
    },
    {
      title: '四、共享与披露',
      text: ['除法律法规要求或经您所在组织同意外，不向第三方提供上述信息。'],
    },
    {
      title: '五、您的权利',
      text: [
        '您可以联系所在组织的管理员查询、更正或删除账号信息。账号注销后，操作记录会按审计要求保留必要期限。',
      ],
    },
    {
      title: '六、政策更新',
      text: ['本政策更新后会在本页公布，重大变更会在登录后提示。'],
    },
  ],
}

export const privacyEn: Document = {
  title: 'Privacy Policy',
  updated: updatedEn,
  intro:
    'This policy explains which information the Voltkeep operations platform and its mobile application collect, how it is used and protected, and which rights you have.',
  sections: [
    {
      title: '1. What is collected',
      text: [
        'Account information: name, login name, phone number, organization and roles, entered by the administrator of your organization.',
        'Usage records: times of sign-in, network addresses, and the operations made on devices and data, for security auditing.',
        'Device data: states, alarms, events and versions reported by cabinets, batteries and energy-storage devices. They are not used to identify end users.',
      ],
    },
    {
      title: '2. Purposes',
      text: [
        'The information is used only for authentication, access control, operations, security auditing and fault analysis; never for advertising or profiling.',
      ],
    },
    {
      title: '3. Storage and protection',
      text: [
        'Information is stored on the servers of the party that operates the platform. Passwords and sign-in tokens are stored only as digests; tokens expire.',
        'The browser keeps the sign-in token, the state of the menu and the chosen appearance. No third-party tracking is used.',
      ],
    },
    {
      title: '4. Disclosure',
      text: [
        'Information is not given to third parties except where the law requires it or your organization has agreed.',
      ],
    },
    {
      title: '5. Your rights',
      text: [
        'Ask the administrator of your organization to inspect, correct or delete your account information. After an account is closed, operation records are kept for as long as auditing requires.',
      ],
    },
    {
      title: '6. Updates',
      text: ['Updates are published on this page; material changes are announced after sign-in.'],
    },
  ],
}

export interface Brand {
  name: string
  line: string
  about: string
  points: readonly { title: string; text: string }[]
}

export const asgoft: Brand = {
  name: 'ASGOFT',
  line: '两轮车换电基础设施',
  about: 'ASGOFT 为城市即时配送与出行提供换电柜与电池，由 Voltkeep 平台统一监控与运维。',
  points: [
    { title: '换电柜', text: '八仓、十二仓与可拼接机型，逐仓温度与烟感监测，独立灭火。' },
    { title: '电池', text: '电池管理系统实时上报电量、温度与循环次数。' },
    { title: '运维', text: '远程升级、批量参数与日志提取，减少上站次数。' },
  ],
}

export const estolife: Brand = {
  name: 'ESTOLIFE',
  line: '家庭与工商业储能',
  about: 'ESTOLIFE 提供户用与工商业储能设备，充放电策略与安全状态由 Voltkeep 平台持续守护。',
  points: [
    { title: '户用储能', text: '光伏优化器与逆变系统协同，停电自动切换。' },
    { title: '工商业储能', text: '柜级监控，电芯级告警，分级处置。' },
    { title: '安全', text: '消防、温控与绝缘状态全天候监测，异常即时告警。' },
  ],
}

export const eArk: Brand = {
  name: 'e-Ark',
  line: '智能换电柜',
  about: 'e-Ark 是面向城市街区的智能换电柜：占地小、可户外安装、断网可用，恢复后数据自动补报。',
  points: [
    { title: '逐仓独立', text: '每仓独立充电、测温、门锁反馈与灭火，故障仓自动停用。' },
    { title: '一眼可辨', text: '七组指示灯显示可取、充电、故障等状态，颜色与闪烁可远程设置。' },
    { title: '可远程维护', text: '主控与仓控软件分级升级，失败自动回退，日志按需提取。' },
  ],
}
