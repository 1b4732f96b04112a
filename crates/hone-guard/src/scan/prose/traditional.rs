//! Traditional Chinese, read as simplified: the lexicon has one form of each word.

/// Characters that differ, the traditional form before the simplified one.
#[rustfmt::skip]
const PAIRS: &str = "
    個个 們们 來来 時时 為为 說说 國国 這这 裡里 裏里 後后 對对 開开 關关 發发 經经 會会 還还 過过 學学 點点 從从 進进 動动 現现 長长 兩两 種种 應应 無无 當当 與与 實实 樣样 機机 問问 題题 間间 體体 員员 業业 電电 產产 東东 統统 設设 備备 計计 畫画 劃划 處处 務务 報报 專专 書书 單单 號号 碼码 記记 錄录 錯错 誤误 傳传 輸输 連连 線线
    網网 絡络 頁页 資资 訊讯 檔档 夾夹 複复 製制 貼贴 執执 權权 鑰钥 帳帐 戶户 驗验 證证 憑凭 環环 變变 數数 雲云 簡简 譯译 語语 請请 讓让 給给 將将 並并 於于 須须 顯显 圖图 寫写 讀读 聽听 認认 識识 詢询 許许 確确 輯辑 編编 選选 擇择 項项 條条 規规 則则 違违 約约 護护 衛卫 檢检 測测 掃扫 審审 閱阅 標标 隱隐 瞞瞒 視视 棄弃 擱搁 廢废
    銷销 刪删 毀毁 滅灭 壞坏 啟启 運运 載载 裝装 軟软 儲储 態态 內内 門门 閉闭 絕绝 總总 結结 細细 節节 終终 級级 組组 織织 維维 緊紧 練练 絲丝 純纯 紙纸 紅红 歷历 曆历 歸归 據据 擊击 擴扩 攔拦 擋挡 換换 損损 搶抢 話话 該该 詳详 試试 論论 議议 調调 談谈 講讲 謝谢 謹谨 讚赞 貨货 費费 貸贷 購购 賣卖 買买 贈赠 賬账 賴赖 車车 軌轨 輔辅
    輕轻 輪轮 轉转 辦办 農农 邊边 遞递 遠远 適适 遲迟 鄰邻 醫医 釋释 針针 鈕钮 銀银 鋪铺 錢钱 鍵键 鎖锁 鏈链 鏡镜 閃闪 閒闲 陣阵 陰阴 陳陈 陸陆 陽阳 際际 隨随 險险 雙双 雜杂 離离 難难 響响 頂顶 順顺 預预 領领 頭头 頻频 願愿 類类 顧顾 風风 飛飞 飯饭 館馆 駐驻 驅驱 騙骗 驚惊 魚鱼 鳥鸟 麗丽 麼么 黃黄 齊齐 齒齿 龍龙 億亿 價价 侖仑 倉仓
    偵侦 側侧 偽伪 傷伤 傾倾 僅仅 僑侨 優优 償偿 儘尽 盡尽 兒儿 兇凶 冊册 凍冻 別别 劇剧 劑剂 勁劲 勞劳 勢势 勝胜 區区 協协 參参 吳吴 啓启 嗎吗 嘗尝 嚴严 囑嘱 園园 圓圆 團团 場场 塊块 墊垫 壓压 夠够 奪夺 婦妇 媽妈 寶宝 導导 尋寻 層层 屬属 島岛 幣币 幫帮 幹干 幾几 庫库 廠厂 廣广 彙汇 匯汇 徑径 復复 徵征 悶闷 惡恶 愛爱 慮虑 慣惯 憶忆
    懷怀 戰战 戲戏 拋抛 掛挂 採采 揚扬 搖摇 擬拟 攝摄 敗败 敵敌 斷断 暫暂 暱昵 術术 樹树 橋桥 檯台 櫃柜 歐欧 歲岁 殘残 殺杀 氣气 決决 沒没 況况 淨净 減减 溫温 準准 滿满 漢汉 潛潜 濾滤 灣湾 災灾 煙烟 熱热 燈灯 燒烧 營营 爭争 爾尔 牆墙 狀状 獨独 獲获 獻献 瀏浏 覽览 畢毕 異异 療疗 盜盗 監监 盤盘 眾众 睜睁 矚瞩 礎础 禮礼 稅税 穩稳 窺窥
    竊窃 競竞 筆笔 築筑 簽签 籤签 籌筹 糧粮 紀纪 綁绑 綜综 綠绿 緒绪 緣缘 縮缩 繞绕 繼继 續续 罰罚 羅罗 義义 習习 聯联 聲声 職职 腦脑 臉脸 臨临 舉举 舊旧 艙舱 藝艺 藥药 蘋苹 虛虚 蟲虫 補补 褲裤 見见 觀观 覺觉 訂订 訓训 託托 訪访 訴诉 註注 診诊 詐诈 評评 詞词 誌志 誘诱 誠诚 誰谁 課课 諾诺 謊谎 譽誉 豐丰 貝贝 負负 財财 貢贡 貫贯 責责
    賓宾 質质 賽赛 贊赞 趕赶 跡迹 蹤踪 躍跃 軍军 較较 輝辉 辭辞 遺遗 郵邮 釘钉 鐘钟 鐵铁 閘闸 隊队 階阶 隻只 靈灵 靜静 韓韩 頓顿 飲饮 餘余 騰腾 髮发 鬧闹 鮮鲜 鹽盐 黨党 齡龄 繳缴 繪绘 繫系 係系 週周 佈布 佔占 併并 傑杰 凈净 剛刚 創创 劉刘 勵励
";

/// The simplified form of a character; most have none of their own.
pub(super) fn simplified(c: char) -> char {
    use std::collections::HashMap;
    use std::sync::LazyLock;
    static TABLE: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
        let pair = |word: &str| {
            let mut characters = word.chars();
            Some((characters.next()?, characters.next()?))
        };
        PAIRS.split_whitespace().filter_map(pair).collect()
    });
    if !matches!(c, '\u{4E00}'..='\u{9FFF}') {
        return c;
    }
    TABLE.get(&c).copied().unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_has_one_simplified_one_of_the_same_length() {
        for word in PAIRS.split_whitespace() {
            let forms: Vec<char> = word.chars().collect();
            assert_eq!(forms.len(), 2, "{word}");
            assert_eq!(simplified(forms[0]), forms[1], "{word}");
            assert_eq!(simplified(forms[1]), forms[1], "{word}: the simplified form stays");
            assert_eq!(forms[0].len_utf8(), forms[1].len_utf8(), "{word}");
        }
        assert_eq!(simplified('a'), 'a');
    }

    #[test]
    fn the_lexicon_is_written_in_simplified_characters() {
        for words in super::super::lexicon::all_words() {
            let folded: String = words.chars().map(simplified).collect();
            assert_eq!(words, folded);
        }
    }
}
