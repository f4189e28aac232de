// The privacy policy, in the name of the company that runs the installation.
import type { Company } from '@voltkeep/contract/site'
import { contactEn, contactZh } from './agreements.ts'
import type { SiteDocument } from './documents.ts'

export const privacyZh = ({ name, address }: Company): SiteDocument => ({
  title: '隐私政策',
  intro: `本政策说明${name ?? '部署本平台的单位'}（以下简称“运营方”）通过 Voltkeep 运维平台及其移动应用收集哪些信息、如何使用和保护这些信息，以及您享有的权利。`,
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
      text: ['本政策更新后会在本页公布。'],
    },
    { title: '七、联系方式', text: [contactZh(name, address)] },
  ],
})

export const privacyEn = ({ nameEn, addressEn }: Company): SiteDocument => ({
  title: 'Privacy Policy',
  intro: `This policy explains which information ${nameEn ?? 'the organization that runs this installation'} ("the provider") collects through the Voltkeep operations platform and its mobile application, how it is used and protected, and which rights you have.`,
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
        'Information is stored on the servers of the provider. Passwords and sign-in tokens are stored only as digests; tokens expire.',
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
    { title: '6. Updates', text: ['Updates are published on this page.'] },
    { title: '7. Contact', text: [contactEn(nameEn, addressEn)] },
  ],
})
